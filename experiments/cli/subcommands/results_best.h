// `opyard results best`: the best plans of a store, and any plan as a file.
#pragma once

#include <string>

#include "experiments/console/console.h"
#include "experiments/maintenance/store_overview.h"

namespace opyard::experiments {

struct ResultsBestOptions {
  std::string results;  // a folder or its file
  RunFilter filter;
  std::string per = "problem";  // problem, agent, run (BestPer)
  std::string out;              // folder for the plans; "" for none
  bool json = false;
};

// Prints a line for each best run, and with `out` the command that simulates its plan.
[[nodiscard]] int ShowBest(const ResultsBestOptions& options, const Console& console);

}  // namespace opyard::experiments
