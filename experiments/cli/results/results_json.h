// The answers of `opyard results list`, `show` and `best` with --json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/cli/results/stores.h"
#include "experiments/maintenance/store_overview.h"

namespace opyard::experiments {

// The answer of `opyard results list`.
[[nodiscard]] std::string ResultsListJson(const std::vector<ListedStore>& stores);

// The same store with its cells. `failures` has a line for each of its runs, "" for one that is
// done.
struct ShownStore {
  ListedStore store;
  std::vector<std::string> failures;
  std::vector<StoredTraining> trainings;
  std::vector<StoredBound> bounds;
};
[[nodiscard]] std::string ResultsShowJson(const ShownStore& shown);

// One of the best plans.
struct ListedPlan {
  StoredRun run;
  std::optional<SimTime> bound;         // no plan of the problem is faster, if the store says so
  std::optional<std::string> plan;      // its file, if it was written
  std::optional<std::string> simulate;  // the command that simulates that
};
[[nodiscard]] std::string ResultsBestJson(const std::vector<ListedPlan>& plans);

}  // namespace opyard::experiments
