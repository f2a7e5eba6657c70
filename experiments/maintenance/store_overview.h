// Overview of a store of results: its runs, and the cells that it lacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/store/result_store.h"

namespace opyard::experiments {

// Which runs are meant: those that have all that is given.
struct RunFilter {
  std::optional<std::string> graph;
  std::optional<std::string> hardware;
  std::optional<std::string> agent;
  std::optional<std::int64_t> seed;
};
[[nodiscard]] bool IsMeant(const CellKey& cell, const RunFilter& filter);

struct StoreOverview {
  StoreInfo info;
  std::uintmax_t bytes = 0;     // of the file, without what a writer has not folded into it yet
  std::vector<StoredRun> runs;  // that are meant, in order of their end
  std::size_t num_failed = 0;   // of them
  // Cells of the experiment, or of its piece, that are meant and have no run; nothing where an
  // older opyard did not say what it was to make.
  std::optional<std::vector<CellKey>> missing;
};

[[nodiscard]] StoreOverview OverviewOf(ResultStore& store, const RunFilter& filter);

// For what one best run is chosen.
enum class BestPer : std::uint8_t {
  kProblem,  // graph and machine
  kAgent,    // graph, machine and agent
  kRun,      // every run
};

// The run with the best score of each, in order of the graphs, machines, agents and seeds of the
// runs; the earliest of equal ones. Runs without a plan that completes are left out, but for kRun,
// where those with any plan stay.
[[nodiscard]] std::vector<StoredRun> BestRuns(std::vector<StoredRun> runs, BestPer per);

}  // namespace opyard::experiments
