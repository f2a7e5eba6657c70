// `opyard results list` and `opyard results show`.
#pragma once

#include <string>
#include <vector>

#include "experiments/console/console.h"
#include "experiments/maintenance/store_overview.h"

namespace opyard::experiments {

struct ResultsListOptions {
  std::vector<std::string> results;  // folders or files
  bool json = false;
};

// A line for each store: how many runs are done, failed and missing.
[[nodiscard]] int ListResults(const ResultsListOptions& options, const Console& console);

struct ResultsShowOptions {
  std::string results;
  RunFilter filter;
  bool resolved = false;  // print the experiment's file instead
  bool json = false;
};

// What a store holds: its agents, why runs failed, what is missing, trainings and bounds.
[[nodiscard]] int ShowResults(const ResultsShowOptions& options, const Console& console);

}  // namespace opyard::experiments
