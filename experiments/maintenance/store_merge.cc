#include "experiments/maintenance/store_merge.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "experiments/maintenance/merge_check.h"
#include "experiments/store/expected_matrix.h"
#include "experiments/store/folder_lock.h"
#include "experiments/store/result_store.h"
#include "experiments/store/schema.h"
#include "experiments/store/sqlite.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestInput = std::size_t{512} << 20;

// Not one of which the making was cut short.
bool HasStore(const fs::path& folder) {
  std::error_code ignored;
  const fs::path file = folder / ResultStore::kFileName;
  if (!fs::exists(file, ignored)) {
    return false;
  }
  Database database(file, OpenMode::kReadOnly);
  return !IsBlank(database);
}

// True if nothing stands in `folder` but what holds one of `sources`: its own pieces.
bool HoldsOnlySources(const fs::path& folder, const std::vector<std::string>& sources) {
  std::set<fs::path> holders;
  for (const std::string& source : sources) {
    const fs::path within = fs::absolute(source).lexically_normal().lexically_relative(
        fs::absolute(folder).lexically_normal());
    if (!within.empty()) {
      holders.insert(*within.begin());
    }
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!holders.contains(entry->path().filename())) {
      return false;
    }
  }
  return !error;
}

// Throws unless the joined store may be made in `folder`.
void CheckFolder(const fs::path& folder, const std::vector<std::string>& sources) {
  std::error_code ignored;
  if (!fs::exists(folder / ResultStore::kFileName, ignored) && !HoldsOnlySources(folder, sources)) {
    ResultStore::RefuseUnlessEmpty(folder);
  }
}

// The store to join into. An empty file is one of which the making was cut short: it is made
// whatever else is in the folder.
ResultStore OpenTarget(const fs::path& folder, const StoreInfo& info) {
  std::ofstream(folder / ResultStore::kFileName, std::ios::app).close();
  return ResultStore::Resume(folder, info);
}

void CheckAll(const std::vector<std::string>& sources, const fs::path& folder) {
  MergeCheck check;
  if (HasStore(folder)) {
    ResultStore target = ResultStore::OpenToRead(folder);
    check.Add(target);
  }
  for (const std::string& source : sources) {
    ResultStore store = ResultStore::OpenToRead(source);
    check.Add(store);
  }
  check.ThrowIfAny();
}

// The experiment's description in the joined store: the cells of both stores, and of the file the
// one that asks for the most.
StoreInfo JoinedInfo(const StoreInfo& a, const StoreInfo& b) {
  const auto matrix_a = ReadMatrix(a.matrix);
  const auto matrix_b = ReadMatrix(b.matrix);
  StoreInfo info = a;
  info.shard = "";
  if (!matrix_a.has_value() || !matrix_b.has_value()) {
    info.matrix = "";  // an older opyard did not say what it was to make
    return info;
  }
  const ExpectedMatrix joined = Joined(*matrix_a, *matrix_b);
  info.matrix = TextOf(joined);
  info.resolved = CellsOf(*matrix_b).size() > CellsOf(*matrix_a).size() ? b.resolved : a.resolved;
  return info;
}

// The folder of an experiment, as it stands in `from`, for a store in `to`.
StoreInfo Moved(StoreInfo info, const fs::path& from, const fs::path& to) {
  const fs::path origin =
      (fs::absolute(from).lexically_normal() / info.experiment_folder).lexically_normal();
  info.experiment_folder =
      origin.lexically_relative(fs::absolute(to).lexically_normal()).generic_string();
  return info;
}

void KeepInput(ResultStore& source,
               ResultStore& target,
               const std::string& sha256,
               const char* what) {
  if (target.HasInput(sha256)) {
    return;
  }
  if (const auto text = source.InputOf(sha256, kLargestInput)) {
    target.AddInput(sha256, what, *text);
  }
}

// The trainings of `source`, kept in `target`; by their number in the one the number in the other.
std::map<std::int64_t, std::int64_t> KeepTrainings(ResultStore& source, ResultStore& target) {
  std::map<std::string, std::int64_t> there;
  for (const StoredTraining& training : target.Trainings()) {
    there[training.agent] = training.id;
  }
  std::map<std::int64_t, std::int64_t> ids;
  for (const StoredTraining& training : source.Trainings()) {
    const auto known = there.find(training.agent);
    ids[training.id] = known == there.end() ? target.Keep(training) : known->second;
  }
  return ids;
}

RunRecord WholeRun(ResultStore& store, const StoredRun& run) {
  RunRecord record = run.record;
  record.plan = store.PlanOf(run.id);
  record.history = store.HistoryOf(run.id);
  record.training = store.TrainingOf(run.id);
  return record;
}

std::set<CellKey> CellsIn(ResultStore& store) {
  std::set<CellKey> cells;
  for (const StoredRun& run : store.Runs()) {
    cells.insert(run.record.cell);
  }
  return cells;
}

// Adds stores to one target.
class StoreMerger {
 public:
  StoreMerger(const InterruptFlag& interrupt, StoreMerge& merge)
      : interrupt_(interrupt), merge_(merge) {}

  // REQUIRES: `target` is the same in each call, and nobody else adds to it.
  void Add(ResultStore& source, ResultStore& target) {
    target.Keep(source.Bounds());
    const auto training_ids = KeepTrainings(source, target);
    if (!known_.has_value()) {
      known_ = CellsIn(target);
    }
    for (const StoredRun& run : source.Runs()) {
      if (interrupt_.is_raised()) {
        merge_.was_interrupted = true;
        return;
      }
      if (!known_->insert(run.record.cell).second) {
        ++merge_.num_known;
        continue;
      }
      KeepInput(source, target, run.record.graph_sha256, "graph");
      KeepInput(source, target, run.record.hardware_sha256, "machine");
      RunRecord record = WholeRun(source, run);
      if (record.training_id.has_value()) {
        record.training_id = training_ids.at(*record.training_id);
      }
      target.Add(record);
      ++merge_.num_new;
    }
  }

 private:
  const InterruptFlag& interrupt_;
  StoreMerge& merge_;
  std::optional<std::set<CellKey>> known_;  // what the target holds by now
};

void Count(ResultStore& target, StoreMerge& merge) {
  const std::set<CellKey> cells = CellsIn(target);
  merge.num_runs = cells.size();
  if (const auto matrix = ReadMatrix(target.Info().matrix)) {
    for (const CellKey& cell : CellsOf(*matrix)) {
      merge.num_missing += cells.contains(cell) ? 0 : 1;
    }
  }
}

}  // namespace

StoreMerge MergeStores(const std::vector<std::string>& sources,
                       const fs::path& folder,
                       const InterruptFlag& interrupt) {
  const FolderLock lock(folder);
  CheckFolder(folder, sources);
  CheckAll(sources, folder);
  StoreMerge merge;
  StoreMerger merger(interrupt, merge);
  std::optional<ResultStore> target;
  for (const std::string& path : sources) {
    ResultStore source = ResultStore::OpenToRead(path);
    StoreInfo info = Moved(source.Info(), ResultStore::FileOf(path).parent_path(), folder);
    if (!target.has_value()) {
      const bool is_new = !HasStore(folder);
      target.emplace(OpenTarget(folder, info));
      info = is_new ? JoinedInfo(info, info) : JoinedInfo(target->Info(), info);
    } else {
      info = JoinedInfo(target->Info(), info);
    }
    target->Keep(info);
    merger.Add(source, *target);
    if (merge.was_interrupted) {
      break;
    }
  }
  Count(*target, merge);
  return merge;
}

}  // namespace opyard::experiments
