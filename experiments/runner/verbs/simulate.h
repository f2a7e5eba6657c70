// `opyard simulate`: one plan, executed once, with the full report.
#pragma once

#include <string>

#include "experiments/runner/console.h"

namespace opyard::experiments {

struct SimulateOptions {
  std::string graph;
  std::string hardware;
  std::string plan;  // a file
  bool ops = false;  // adds start and finish of each op
  bool json = false;
};

// kAnswerIsNo if the plan does not complete.
[[nodiscard]] int Simulate(const SimulateOptions& options, const Console& console);

}  // namespace opyard::experiments
