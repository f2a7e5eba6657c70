#include "experiments/store/run_row.h"

#include "experiments/store/compression.h"
#include "experiments/store/former_rows.h"
#include "experiments/store/schema.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

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
RunRecord ReadFirst(const Statement& row, const std::string& place) {
  return {.cell = {.graph = row.Text(1),
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
          .reproduce = row.Text(20)};
}

std::string MaybeText(const Statement& row, int column) {
  return row.IsNull(column) ? "" : row.Text(column);
}

void BindMaybe(Statement& statement, int parameter, const std::string& text) {
  text.empty() ? statement.BindNull(parameter) : statement.Bind(parameter, text);
}

void ReadLatest(const Statement& row, int first, RunRecord& record) {
  if (!row.IsNull(first)) {
    record.training_id = row.Int(first);
  }
  record.failure = MaybeText(row, first + 1);
}

}  // namespace

std::string RunColumns(std::int64_t version) {
  std::string columns = kColumns;
  columns += version >= kFirstWithAccounts ? kAccountColumns : "";
  columns += version >= kFirstWithTrainings ? ", training_id, failure" : "";
  columns += version >= kFirstWithStarts ? ", start" : "";
  columns += version >= kFirstWithCostModels ? ", cost_model" : "";
  return columns + (version >= kFirstWithAgentBounds ? ", agent_bound" : "");
}

RunRecord ReadRun(const Statement& row, std::int64_t version, const std::string& place) {
  RunRecord record = ReadFirst(row, place);
  if (version >= kFirstWithAccounts) {
    ReadAccounts(row, 21, record);
  }
  if (version >= kFirstWithTrainings) {
    ReadLatest(row, 26, record);
  }
  if (version >= kFirstWithStarts) {
    record.start = MaybeText(row, 28);
  }
  // NULL in rows of before there were others, too.
  if (version >= kFirstWithCostModels && !row.IsNull(29)) {
    record.cost_model = row.Text(29);
  }
  if (version >= kFirstWithAgentBounds) {
    record.agent_bound = MaybeDouble(row, 30);
  }
  if (version < kFirstWithNewNames) {
    UseNewNames(record);
  }
  return record;
}

std::int64_t InsertRun(Database& database, const RunRecord& record) {
  Statement insert = database.Prepare(
      std::string("INSERT INTO runs (") + kColumns + ", plan" + kAccountColumns +
      ", training_id, failure, start, cost_model, agent_bound) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
      "?7, ?8, ?9, ?10, ?11, ?12, "
      "?13, ?14, ?15, ?16, ?17,"
      " ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)");
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
  if (record.training_id.has_value()) {
    insert.Bind(27, *record.training_id);
  }
  BindMaybe(insert, 28, record.failure);
  BindMaybe(insert, 29, record.start);
  insert.Bind(30, record.cost_model);
  BindMaybe(insert, 31, record.agent_bound);
  insert.Step();
  return database.last_row_id();
}

}  // namespace opyard::experiments
