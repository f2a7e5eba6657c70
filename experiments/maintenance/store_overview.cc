#include "experiments/maintenance/store_overview.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "experiments/store/expected_matrix.h"
#include "experiments/store/shard.h"

namespace opyard::experiments {
namespace {

bool HasScore(const RunRecord& record) {
  return record.status == RunStatus::kDone && record.score.has_value();
}

// The part of a cell that one best run is chosen for.
CellKey GroupOf(CellKey cell, BestPer per) {
  if (per == BestPer::kProblem) {
    cell.agent.clear();
  }
  if (per != BestPer::kRun) {
    cell.seed = 0;
  }
  return cell;
}

std::optional<std::vector<CellKey>> Missing(const StoreInfo& info,
                                            const std::set<CellKey>& stored,
                                            const RunFilter& filter) {
  const auto matrix = ReadMatrix(info.matrix);
  if (!matrix.has_value()) {
    return std::nullopt;
  }
  const Shard shard = info.shard.empty() ? Shard{} : ReadShard(info.shard, "shard");
  std::vector<CellKey> missing = PieceOf(CellsOf(*matrix), shard);
  std::erase_if(missing, [&](const CellKey& cell) {
    return stored.contains(cell) || !IsMeant(cell, filter);
  });
  return missing;
}

}  // namespace

bool IsMeant(const CellKey& cell, const RunFilter& filter) {
  return cell.graph == filter.graph.value_or(cell.graph) &&
         cell.hardware == filter.hardware.value_or(cell.hardware) &&
         cell.agent == filter.agent.value_or(cell.agent) &&
         cell.seed == filter.seed.value_or(cell.seed);
}

StoreOverview OverviewOf(ResultStore& store, const RunFilter& filter) {
  StoreOverview overview{.info = store.Info()};
  std::error_code ignored;
  overview.bytes = std::filesystem::file_size(store.place(), ignored);
  std::set<CellKey> stored;
  for (StoredRun& run : store.Runs()) {
    stored.insert(run.record.cell);
    if (IsMeant(run.record.cell, filter)) {
      overview.num_failed += run.record.status == RunStatus::kFailed ? 1 : 0;
      overview.runs.push_back(std::move(run));
    }
  }
  overview.missing = Missing(overview.info, stored, filter);
  return overview;
}

std::vector<StoredRun> BestRuns(std::vector<StoredRun> runs, BestPer per) {
  std::map<CellKey, StoredRun> best;
  for (StoredRun& run : runs) {
    const bool has_plan =
        per == BestPer::kRun ? run.record.makespan.has_value() : HasScore(run.record);
    if (!has_plan) {
      continue;
    }
    const CellKey group = GroupOf(run.record.cell, per);
    const auto found = best.find(group);
    if (found == best.end()) {
      best.emplace(group, std::move(run));
    } else if (*run.record.score < *found->second.record.score) {
      found->second = std::move(run);
    }
  }
  std::vector<StoredRun> chosen;
  for (auto& [group, run] : best) {
    chosen.push_back(std::move(run));
  }
  return chosen;
}

}  // namespace opyard::experiments
