// `opyard place`: one search of one agent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/budget.h"
#include "experiments/config/config.h"
#include "experiments/console/console.h"

namespace opyard::experiments {

struct PlaceOptions {
  std::string graph;
  std::string hardware;
  std::string agent = "auto";       // in the registry
  std::vector<std::string> params;  // "cooling=0.9"
  std::string checkpoint;           // the agent's parameter of that name; empty: not given
  ProblemConfig problem;
  env::Budget budget;  // neither limit: kDefaultEvaluations
  std::int64_t seed = 0;
  // What rewards are measured against, in the units of the objective; by default single_device's.
  std::optional<double> reference;
  std::size_t threads = 0;         // 0: one per core; plans do not depend on it
  std::optional<std::string> out;  // the plan file
  bool json = false;
};

// Prints what the best plan that was seen is worth, and writes it to `out` if that is given.
// kAnswerIsNo if it does not complete, or none was tried.
[[nodiscard]] int Place(const PlaceOptions& options, const Console& console);

}  // namespace opyard::experiments
