// `opyard tune`: the parameters of an agent over many problems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/runner/console/console.h"

namespace opyard::experiments {

struct TuneOptions {
  std::string experiment;              // a file, or a shipped one's name
  std::vector<std::string> overrides;  // "tuning.trials=9"
  std::string out;                     // folder; empty: results/NAME
  std::string agent;                   // label; empty: the only one
  std::optional<std::int64_t> seed;    // nothing: the experiment's first
  std::size_t threads = 0;             // that judge plans; 0: all cores
  bool resume = false;
  bool json = false;
  bool quiet = false;  // no progress
};

// Returns the exit code (console.h).
[[nodiscard]] int Tune(const TuneOptions& options, const Console& console);

}  // namespace opyard::experiments
