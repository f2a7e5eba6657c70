#include "experiments/store/result_store.h"

#include <map>
#include <system_error>
#include <utility>

#include "experiments/store/compression.h"
#include "experiments/store/former_rows.h"
#include "experiments/store/run_row.h"
#include "experiments/store/schema.h"
#include "experiments/store/trainings_table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJournal = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
constexpr std::size_t kLargestPlan = std::size_t{512} << 20;

}  // namespace

fs::path ResultStore::FileOf(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? path / kFileName : path;
}

void ResultStore::RefuseUnlessEmpty(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) {
    throw InputError(
        folder.string() +
        ": this folder is not empty; expected an absent or empty one, or --resume to go "
        "on with the results in it");
  }
}

ResultStore ResultStore::Create(const fs::path& folder, const StoreInfo& info) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw InputError(folder.string() + ": cannot make this folder: " + error.message());
  }
  RefuseUnlessEmpty(folder);
  ResultStore store(Database(folder / kFileName, OpenMode::kCreate));
  store.Begin(info);
  return store;
}

ResultStore ResultStore::Resume(const fs::path& folder, const StoreInfo& info) {
  std::error_code ignored;
  if (!fs::exists(folder / kFileName, ignored)) {
    return Create(folder, info);
  }
  ResultStore store(Database(folder / kFileName, OpenMode::kReadWrite));
  if (IsBlank(store.database_)) {
    store.Begin(info);
    return store;
  }
  CheckFormat(store.database_);
  store.database_.Execute(kJournal);
  return store;
}

void ResultStore::Begin(const StoreInfo& info) {
  database_.Execute(kJournal);
  Transaction transaction(database_);
  MakeTables(database_);
  PutInfo(info);
  transaction.Commit();
}

void ResultStore::PutInfo(const StoreInfo& info) {
  Statement put = database_.Prepare("INSERT OR REPLACE INTO info VALUES (?1, ?2)");
  for (const auto& [key, value] : {std::pair("experiment", &info.experiment),
                                   {"experiment_folder", &info.experiment_folder},
                                   {"resolved", &info.resolved},
                                   {"matrix", &info.matrix},
                                   {"shard", &info.shard}}) {
    put.Reset().Bind(1, std::string(key)).Bind(2, *value).Step();
  }
}

void ResultStore::Keep(const StoreInfo& info) {
  Transaction transaction(database_);
  UpgradeTables(database_);
  PutInfo(info);
  transaction.Commit();
}

std::int64_t ResultStore::Keep(const StoredTraining& training) {
  Transaction transaction(database_);
  UpgradeTables(database_);
  const std::int64_t id = PutTraining(database_, training);
  transaction.Commit();
  return id;
}

void ResultStore::Keep(const std::vector<StoredBound>& bounds) {
  Transaction transaction(database_);
  UpgradeTables(database_);
  PutBounds(database_, bounds);
  transaction.Commit();
}

ResultStore ResultStore::OpenToRead(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = FileOf(path);
  if (!fs::exists(file, ignored)) {
    throw InputError(file.string() + ": no such file; expected the results of `opyard run`");
  }
  ResultStore store(Database(file, OpenMode::kReadOnly));
  CheckFormat(store.database_);
  return store;
}

void ResultStore::Add(const RunRecord& record) {
  Transaction transaction(database_);
  UpgradeTables(database_);
  const std::int64_t run = InsertRun(database_, record);
  ClearLeftovers(run);
  AddHistory(run, record.history);
  AddTraining(run, record.training);
  transaction.Commit();
}

// Who deletes a run by hand, to have it made again, leaves its history and curve behind.
void ResultStore::ClearLeftovers(std::int64_t run) {
  database_.Prepare("DELETE FROM history WHERE run = ?1").Bind(1, run).Step();
  database_.Prepare("DELETE FROM training WHERE run = ?1").Bind(1, run).Step();
}

void ResultStore::AddHistory(std::int64_t run, const std::vector<agents::HistoryRow>& history) {
  for (const agents::HistoryRow& row : history) {
    database_.Prepare("INSERT INTO history VALUES (?1, ?2, ?3, ?4, ?5)")
        .Bind(1, run)
        .Bind(2, row.evaluations)
        .Bind(3, row.seconds)
        .Bind(4, row.score)
        .Bind(5, row.makespan.picoseconds)
        .Step();
  }
}

void ResultStore::AddTraining(std::int64_t run, const std::vector<agents::TrainingRow>& training) {
  Statement insert = database_.Prepare("INSERT INTO training VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  insert.Bind(1, run);
  for (const agents::TrainingRow& row : training) {
    for (const auto& [name, value] : row.values) {
      insert.Reset()
          .Bind(2, name)
          .Bind(3, row.num_updates)
          .Bind(4, row.evaluations)
          .Bind(5, row.seconds)
          .Bind(6, value)
          .Step();
    }
  }
}

std::vector<StoredRun> ResultStore::Runs() {
  const std::int64_t version = SchemaVersion(database_);
  Statement rows =
      database_.Prepare("SELECT id, " + RunColumns(version) + " FROM runs ORDER BY id");
  std::vector<StoredRun> runs;
  while (rows.Step()) {
    runs.push_back({.id = rows.Int(0), .record = ReadRun(rows, version, database_.place())});
  }
  return runs;
}

StoreInfo ResultStore::Info() {
  std::map<std::string, std::string> values;
  Statement rows = database_.Prepare("SELECT key, value FROM info");
  while (rows.Step()) {
    values[rows.Text(0)] = rows.Text(1);
  }
  if (SchemaVersion(database_) < kFirstWithNewNames) {
    ExperimentWords now =
        WithNewNames(ExperimentWords{.resolved = values["resolved"], .matrix = values["matrix"]});
    values["resolved"] = std::move(now.resolved);
    values["matrix"] = std::move(now.matrix);
  }
  return {.experiment = values["experiment"],
          .experiment_folder = values["experiment_folder"],
          .resolved = values["resolved"],
          .matrix = values["matrix"],
          .shard = values["shard"]};
}

std::vector<StoredTraining> ResultStore::Trainings() {
  return TrainingsIn(database_);
}

std::vector<StoredBound> ResultStore::Bounds() {
  return BoundsIn(database_);
}

std::string ResultStore::PlanOf(std::int64_t run) {
  Statement row = database_.Prepare("SELECT plan FROM runs WHERE id = ?1");
  if (!row.Bind(1, run).Step() || row.IsNull(0)) {
    return "";
  }
  const std::optional<std::string> plan = Decompress(row.Blob(0), kLargestPlan);
  if (!plan.has_value()) {
    throw InputError(database_.place() + ": damaged: the plan of run " + std::to_string(run) +
                     " cannot be unpacked");
  }
  return *plan;
}

void ResultStore::AddInput(const std::string& sha256,
                           const std::string& what,
                           const std::string& text) {
  Transaction transaction(database_);
  UpgradeTables(database_);
  database_.Prepare("INSERT OR REPLACE INTO inputs VALUES (?1, ?2, ?3)")
      .Bind(1, sha256)
      .Bind(2, what)
      .BindBlob(3, Compress(text))
      .Step();
  transaction.Commit();
}

bool ResultStore::HasInput(const std::string& sha256) {
  return SchemaVersion(database_) >= kFirstWithInputs &&
         database_.Prepare("SELECT 1 FROM inputs WHERE sha256 = ?1").Bind(1, sha256).Step();
}

std::optional<std::string> ResultStore::InputOf(const std::string& sha256, std::size_t most) {
  if (SchemaVersion(database_) < kFirstWithInputs) {
    return std::nullopt;
  }
  Statement row = database_.Prepare("SELECT data FROM inputs WHERE sha256 = ?1");
  if (!row.Bind(1, sha256).Step()) {
    return std::nullopt;
  }
  std::optional<std::string> text = Decompress(row.Blob(0), most);
  if (!text.has_value()) {
    throw InputError(place() + ": damaged: the input " + sha256 + " cannot be unpacked");
  }
  return text;
}

std::vector<agents::HistoryRow> ResultStore::HistoryOf(std::int64_t run) {
  Statement rows = database_.Prepare(
      "SELECT evaluations, seconds, score, makespan_ps FROM history WHERE run = ?1"
      " ORDER BY evaluations");
  rows.Bind(1, run);
  std::vector<agents::HistoryRow> history;
  while (rows.Step()) {
    history.push_back({.evaluations = rows.Int(0),
                       .seconds = rows.Double(1),
                       .score = rows.Double(2),
                       .makespan = SimTime{rows.Int(3)}});
  }
  return history;
}

std::vector<agents::TrainingRow> ResultStore::TrainingOf(std::int64_t run) {
  std::vector<agents::TrainingRow> training;
  if (SchemaVersion(database_) < kFirstWithTraining) {
    return training;
  }
  Statement rows = database_.Prepare(
      "SELECT num_updates, evaluations, seconds, name, value FROM training WHERE run = ?1"
      " ORDER BY num_updates, name");
  rows.Bind(1, run);
  while (rows.Step()) {
    if (training.empty() || training.back().num_updates != rows.Int(0)) {
      training.push_back({.num_updates = rows.Int(0),
                          .evaluations = rows.Int(1),
                          .seconds = rows.Double(2),
                          .values = {}});
    }
    training.back().values.emplace(rows.Text(3), rows.Double(4));
  }
  return training;
}

}  // namespace opyard::experiments
