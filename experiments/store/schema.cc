#include "experiments/store/schema.h"

#include <array>
#include <span>
#include <string>
#include <vector>

#include "experiments/store/former_rows.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

constexpr std::int64_t kApplicationId = 0x6f707964;  // "opyd"

// A column that a table has gained, in the order of the versions.
struct Column {
  std::int64_t since = 1;
  const char* sql = nullptr;
};

struct Table {
  const char* name = nullptr;
  std::int64_t since = 1;  // the first version that has it
  const char* sql = nullptr;
  std::span<const Column> added;  // columns that come after `sql`, then `end`
  const char* end = "";
};

constexpr std::array<Column, 10> kAddedToRuns = {
    {{.since = kFirstWithAccounts, .sql = "cpu_seconds REAL"},
     {.since = kFirstWithAccounts, .sql = "reference_score REAL"},
     {.since = kFirstWithAccounts, .sql = "reference_makespan_ps INTEGER"},
     {.since = kFirstWithAccounts, .sql = "reference_seconds REAL"},
     {.since = kFirstWithAccounts, .sql = "reference_cpu_seconds REAL"},
     {.since = kFirstWithTrainings, .sql = "training_id INTEGER"},
     {.since = kFirstWithTrainings, .sql = "failure TEXT"},
     {.since = kFirstWithStarts, .sql = "start TEXT"},
     {.since = kFirstWithCostModels, .sql = "cost_model TEXT"},
     {.since = kFirstWithAgentBounds, .sql = "agent_bound REAL"}}};

// Sorted by table name. STRICT: a column holds its type or NULL.
constexpr std::array<Table, 7> kTables = {
    {{.name = "bounds",
      .since = kFirstWithTrainings,
      .sql = "CREATE TABLE bounds (graph TEXT NOT NULL, hardware TEXT NOT NULL, kind TEXT NOT NULL,"
             " makespan_ps INTEGER NOT NULL, source TEXT NOT NULL,"
             " PRIMARY KEY (graph, hardware, kind)) STRICT"},
     {.name = "history",
      .sql = "CREATE TABLE history (run INTEGER NOT NULL, evaluations INTEGER NOT NULL, seconds "
             "REAL NOT NULL,"
             " score REAL NOT NULL, makespan_ps INTEGER NOT NULL, PRIMARY KEY (run, evaluations)) "
             "STRICT"},
     {.name = "info",
      .sql = "CREATE TABLE info (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT"},
     {.name = "inputs",
      .since = kFirstWithInputs,
      .sql = "CREATE TABLE inputs (sha256 TEXT PRIMARY KEY NOT NULL, what TEXT NOT NULL,"
             " data BLOB NOT NULL) STRICT"},
     {.name = "runs",
      .sql = "CREATE TABLE runs (id INTEGER PRIMARY KEY, graph TEXT NOT NULL, hardware TEXT NOT "
             "NULL,"
             " agent TEXT NOT NULL, seed INTEGER NOT NULL, graph_sha256 TEXT NOT NULL,"
             " hardware_sha256 TEXT NOT NULL, agent_name TEXT NOT NULL, params TEXT NOT NULL,"
             " settings TEXT NOT NULL, status TEXT NOT NULL, outcome TEXT NOT NULL, makespan_ps "
             "INTEGER,"
             " score REAL, evaluations INTEGER NOT NULL, failures INTEGER NOT NULL, seconds REAL "
             "NOT NULL,"
             " seconds_to_best REAL, threads INTEGER NOT NULL, version TEXT NOT NULL, plan BLOB,"
             " reproduce TEXT NOT NULL",
      .added = kAddedToRuns,
      .end = ", UNIQUE (graph, hardware, agent, seed)) STRICT"},
     {.name = "training",
      .since = kFirstWithTraining,
      .sql = "CREATE TABLE training (run INTEGER NOT NULL, name TEXT NOT NULL, num_updates INTEGER "
             "NOT NULL,"
             " evaluations INTEGER NOT NULL, seconds REAL NOT NULL, value REAL NOT NULL,"
             " PRIMARY KEY (run, name, num_updates)) STRICT, WITHOUT ROWID"},
     {.name = "trainings",
      .since = kFirstWithTrainings,
      .sql = "CREATE TABLE trainings (id INTEGER PRIMARY KEY, agent TEXT NOT NULL UNIQUE,"
             " agent_name TEXT NOT NULL, params TEXT NOT NULL, settings TEXT NOT NULL,"
             " num_updates INTEGER NOT NULL, evaluations INTEGER NOT NULL, seconds REAL NOT NULL,"
             " cpu_seconds REAL NOT NULL, weights TEXT NOT NULL, weights_sha256 TEXT NOT NULL,"
             " version TEXT NOT NULL, reproduce TEXT NOT NULL) STRICT"}}};

// The statement that makes `table`, as SQLite keeps it, also where columns were added later.
std::string SqlOf(const Table& table, std::int64_t version) {
  std::string sql = table.sql;
  for (const Column& column : table.added) {
    if (column.since <= version) {
      sql += std::string(", ") + column.sql;
    }
  }
  return sql + table.end;
}

void MarkAsCurrent(Database& database) {
  database.Execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
}

// A file with our mark but other tables, views or triggers is not ours.
void CheckTables(Database& database, std::int64_t version) {
  std::vector<std::string> expected;
  for (const Table& table : kTables) {
    if (table.since <= version) {
      expected.push_back(SqlOf(table, version));
    }
  }
  Statement tables =
      database.Prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name");
  std::size_t count = 0;
  bool is_ours = true;
  for (; is_ours && tables.Step(); ++count) {
    is_ours = count < expected.size() && tables.Text(0) == expected[count];
  }
  if (!is_ours || count != expected.size()) {
    throw InputError(database.place() + ": damaged: its tables are not those of a results file");
  }
}

}  // namespace

std::int64_t SchemaVersion(Database& database) {
  return database.GetInt("PRAGMA user_version");
}

bool IsBlank(Database& database) {
  return database.GetInt("PRAGMA application_id") == 0 &&
         database.GetInt("SELECT count(*) FROM sqlite_master") == 0;
}

void MakeTables(Database& database) {
  for (const Table& table : kTables) {
    database.Execute(SqlOf(table, kSchemaVersion));
  }
  database.Execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  MarkAsCurrent(database);
}

void UpgradeTables(Database& database) {
  const std::int64_t version = SchemaVersion(database);
  if (version == kSchemaVersion) {
    return;
  }
  for (const Table& table : kTables) {
    if (table.since > version) {
      database.Execute(SqlOf(table, kSchemaVersion));
      continue;
    }
    for (const Column& column : table.added) {
      if (column.since > version) {
        database.Execute("ALTER TABLE " + std::string(table.name) + " ADD COLUMN " + column.sql);
      }
    }
  }
  if (version < kFirstWithNewNames) {
    RenameRows(database);
  }
  MarkAsCurrent(database);
}

void CheckFormat(Database& database) {
  const std::string& place = database.place();
  if (database.GetInt("PRAGMA application_id") != kApplicationId) {
    throw InputError(place +
                     ": found another kind of database, expected the results of `opyard run`");
  }
  const std::int64_t version = SchemaVersion(database);
  if (version < 1 || version > kSchemaVersion) {
    throw InputError(place + ": found results of schema version " + std::to_string(version) +
                     ", expected 1 to " + std::to_string(kSchemaVersion));
  }
  CheckTables(database, version);
  Statement check = database.Prepare("PRAGMA quick_check(1)");
  if (!check.Step() || check.Text(0) != "ok") {
    throw InputError(place + ": damaged: " + check.Text(0));
  }
}

}  // namespace opyard::experiments
