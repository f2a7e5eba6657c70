#include "experiments/runner/store/schema.h"

#include <array>
#include <string>
#include <vector>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

constexpr std::int64_t kApplicationId = 0x6f707964;  // "opyd"

struct Table {
  std::int64_t since = 1;  // the first version that has it
  const char* sql = nullptr;
};

// Sorted by table name. STRICT: a column holds its type or NULL.
constexpr std::array<Table, 5> kTables = {
    {{.sql = "CREATE TABLE history (run INTEGER NOT NULL, evaluations INTEGER NOT NULL, seconds "
             "REAL NOT NULL,"
             " score REAL NOT NULL, makespan_ps INTEGER NOT NULL, PRIMARY KEY (run, evaluations)) "
             "STRICT"},
     {.sql = "CREATE TABLE info (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT"},
     {.since = kFirstWithInputs,
      .sql = "CREATE TABLE inputs (sha256 TEXT PRIMARY KEY NOT NULL, what TEXT NOT NULL,"
             " data BLOB NOT NULL) STRICT"},
     {.sql = "CREATE TABLE runs (id INTEGER PRIMARY KEY, graph TEXT NOT NULL, hardware TEXT NOT "
             "NULL,"
             " agent TEXT NOT NULL, seed INTEGER NOT NULL, graph_sha256 TEXT NOT NULL,"
             " hardware_sha256 TEXT NOT NULL, agent_name TEXT NOT NULL, params TEXT NOT NULL,"
             " settings TEXT NOT NULL, status TEXT NOT NULL, outcome TEXT NOT NULL, makespan_ps "
             "INTEGER,"
             " score REAL, evaluations INTEGER NOT NULL, failures INTEGER NOT NULL, seconds REAL "
             "NOT NULL,"
             " seconds_to_best REAL, threads INTEGER NOT NULL, version TEXT NOT NULL, plan BLOB,"
             " reproduce TEXT NOT NULL, UNIQUE (graph, hardware, agent, seed)) STRICT"},
     {.since = kFirstWithTraining,
      .sql = "CREATE TABLE training (run INTEGER NOT NULL, name TEXT NOT NULL, num_updates INTEGER "
             "NOT NULL,"
             " evaluations INTEGER NOT NULL, seconds REAL NOT NULL, value REAL NOT NULL,"
             " PRIMARY KEY (run, name, num_updates)) STRICT, WITHOUT ROWID"}}};

void MarkAsCurrent(Database& database) {
  database.Execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
}

// A file with our mark but other tables, views or triggers is not ours.
void CheckTables(Database& database, std::int64_t version) {
  std::vector<std::string> expected;
  for (const Table& table : kTables) {
    if (table.since <= version) {
      expected.emplace_back(table.sql);
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
    database.Execute(table.sql);
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
      database.Execute(table.sql);
    }
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
