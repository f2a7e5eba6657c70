#include "experiments/runner/store/result_store.h"

#include <system_error>

#include "experiments/runner/store/compression.h"
#include "experiments/runner/store/schema.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJournal = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
constexpr std::size_t kLargestPlan = std::size_t{512} << 20;

constexpr const char* kColumns =
    "graph, hardware, agent, seed, graph_sha256, hardware_sha256, agent_name, params, settings,"
    " status, outcome, makespan_ps, score, evaluations, failures, seconds, seconds_to_best, "
    "threads,"
    " version, reproduce";
constexpr const char* kAccountColumns =
    ", cpu_seconds, reference_score, reference_makespan_ps, reference_seconds, "
    "reference_cpu_seconds";

RunStatus StatusNamed(const std::string& name, const std::string& place) {
  if (name != "done" && name != "failed") {
    throw InputError(place + ": damaged: column status holds neither done nor failed");
  }
  return name == "done" ? RunStatus::kDone : RunStatus::kFailed;
}

std::optional<double> MaybeDouble(const Statement& row, int column) {
  return row.IsNull(column) ? std::nullopt : std::optional(row.Double(column));
}

std::optional<SimTime> MaybeTime(const Statement& row, int column) {
  return row.IsNull(column) ? std::nullopt : std::optional(SimTime{row.Int(column)});
}

void BindMaybe(Statement& statement, int parameter, const std::optional<double>& value) {
  value.has_value() ? statement.Bind(parameter, *value) : statement.BindNull(parameter);
}

// Reads the columns of kAccountColumns, the first of which is `first`.
void ReadAccounts(const Statement& row, int first, RunRecord& record) {
  record.cpu_seconds = MaybeDouble(row, first);
  if (!row.IsNull(first + 1)) {
    record.reference = ReferenceRecord{.score = row.Double(first + 1),
                                       .makespan = SimTime{row.Int(first + 2)},
                                       .seconds = row.Double(first + 3),
                                       .cpu_seconds = MaybeDouble(row, first + 4)};
  }
}

// Binds them from parameter `first` on.
void BindAccounts(Statement& statement, int first, const RunRecord& record) {
  BindMaybe(statement, first, record.cpu_seconds);
  if (record.reference.has_value()) {
    statement.Bind(first + 1, record.reference->score)
        .Bind(first + 2, record.reference->makespan.picoseconds)
        .Bind(first + 3, record.reference->seconds);
    BindMaybe(statement, first + 4, record.reference->cpu_seconds);
  }
}

// Reads a row of "id, " + kColumns.
StoredRun ReadRun(const Statement& row, const std::string& place) {
  return {.id = row.Int(0),
          .record = {.cell = {.graph = row.Text(1),
                              .hardware = row.Text(2),
                              .agent = row.Text(3),
                              .seed = row.Int(4)},
                     .graph_sha256 = row.Text(5),
                     .hardware_sha256 = row.Text(6),
                     .agent_name = row.Text(7),
                     .params = row.Text(8),
                     .settings = row.Text(9),
                     .status = StatusNamed(row.Text(10), place),
                     .outcome = row.Text(11),
                     .makespan = MaybeTime(row, 12),
                     .score = MaybeDouble(row, 13),
                     .evaluations = row.Int(14),
                     .failures = row.Int(15),
                     .seconds = row.Double(16),
                     .seconds_to_best = MaybeDouble(row, 17),
                     .threads = row.Int(18),
                     .version = row.Text(19),
                     .plan = "",
                     .reproduce = row.Text(20)}};
}

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
  database_.Prepare("INSERT INTO info VALUES ('experiment', ?1), ('experiment_folder', ?2)")
      .Bind(1, info.experiment)
      .Bind(2, info.experiment_folder)
      .Step();
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
  const std::int64_t run = AddRun(record);
  ClearLeftovers(run);
  AddHistory(run, record.history);
  AddTraining(run, record.training);
  transaction.Commit();
}

std::int64_t ResultStore::AddRun(const RunRecord& record) {
  Statement insert = database_.Prepare(
      std::string("INSERT INTO runs (") + kColumns + ", plan" + kAccountColumns +
      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,"
      " ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)");
  insert.Bind(1, record.cell.graph)
      .Bind(2, record.cell.hardware)
      .Bind(3, record.cell.agent)
      .Bind(4, record.cell.seed)
      .Bind(5, record.graph_sha256)
      .Bind(6, record.hardware_sha256)
      .Bind(7, record.agent_name)
      .Bind(8, record.params)
      .Bind(9, record.settings)
      .Bind(10, std::string(record.status == RunStatus::kDone ? "done" : "failed"))
      .Bind(11, record.outcome);
  if (record.makespan.has_value()) {
    insert.Bind(12, record.makespan->picoseconds);
  }
  BindMaybe(insert, 13, record.score);
  insert.Bind(14, record.evaluations).Bind(15, record.failures).Bind(16, record.seconds);
  BindMaybe(insert, 17, record.seconds_to_best);
  insert.Bind(18, record.threads).Bind(19, record.version).Bind(20, record.reproduce);
  if (!record.plan.empty()) {
    insert.BindBlob(21, Compress(record.plan));
  }
  BindAccounts(insert, 22, record);
  insert.Step();
  return database_.last_row_id();
}

// Who deletes a run by hand, to have it made again, leaves its history and curve behind.
void ResultStore::ClearLeftovers(std::int64_t run) {
  database_.Prepare("DELETE FROM history WHERE run = ?1").Bind(1, run).Step();
  database_.Prepare("DELETE FROM training WHERE run = ?1").Bind(1, run).Step();
}

void ResultStore::AddHistory(std::int64_t run, const std::vector<HistoryRow>& history) {
  for (const HistoryRow& row : history) {
    database_.Prepare("INSERT INTO history VALUES (?1, ?2, ?3, ?4, ?5)")
        .Bind(1, run)
        .Bind(2, row.evaluations)
        .Bind(3, row.seconds)
        .Bind(4, row.score)
        .Bind(5, row.makespan.picoseconds)
        .Step();
  }
}

void ResultStore::AddTraining(std::int64_t run, const std::vector<TrainingRow>& training) {
  Statement insert = database_.Prepare("INSERT INTO training VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  insert.Bind(1, run);
  for (const TrainingRow& row : training) {
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
  const bool has_accounts = SchemaVersion(database_) >= kFirstWithAccounts;
  Statement rows =
      database_.Prepare(std::string("SELECT id, ") + kColumns +
                        (has_accounts ? kAccountColumns : "") + " FROM runs ORDER BY id");
  std::vector<StoredRun> runs;
  while (rows.Step()) {
    runs.push_back(ReadRun(rows, database_.place()));
    if (has_accounts) {
      ReadAccounts(rows, 21, runs.back().record);
    }
  }
  return runs;
}

StoreInfo ResultStore::Info() {
  StoreInfo info;
  Statement rows = database_.Prepare("SELECT key, value FROM info");
  while (rows.Step()) {
    if (rows.Text(0) == "experiment") {
      info.experiment = rows.Text(1);
    } else if (rows.Text(0) == "experiment_folder") {
      info.experiment_folder = rows.Text(1);
    }
  }
  return info;
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

std::vector<HistoryRow> ResultStore::HistoryOf(std::int64_t run) {
  Statement rows = database_.Prepare(
      "SELECT evaluations, seconds, score, makespan_ps FROM history WHERE run = ?1"
      " ORDER BY evaluations");
  rows.Bind(1, run);
  std::vector<HistoryRow> history;
  while (rows.Step()) {
    history.push_back({.evaluations = rows.Int(0),
                       .seconds = rows.Double(1),
                       .score = rows.Double(2),
                       .makespan = SimTime{rows.Int(3)}});
  }
  return history;
}

std::vector<TrainingRow> ResultStore::TrainingOf(std::int64_t run) {
  std::vector<TrainingRow> training;
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
