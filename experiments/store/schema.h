// The tables of a results file, in all versions.
#pragma once

#include <cstdint>

#include "experiments/store/sqlite.h"

namespace opyard::experiments {

// Version 1 had no table training, 2 no table inputs, 3 no accounts: processor time, and the
// reference of the rewards with its cost. Version 4 had no trainings for the runs of an experiment,
// and no bounds. Version 5 did not say where the search of a run began. Version 6 had former names
// of agents and options (former_rows.h), and all runs had one cost model, without saying so.
// Version 7 had no bounds that agents proved.
inline constexpr std::int64_t kFirstWithTraining = 2;
inline constexpr std::int64_t kFirstWithInputs = 3;
inline constexpr std::int64_t kFirstWithAccounts = 4;
inline constexpr std::int64_t kFirstWithTrainings = 5;
inline constexpr std::int64_t kFirstWithStarts = 6;
inline constexpr std::int64_t kFirstWithNewNames = 7;
inline constexpr std::int64_t kFirstWithCostModels = 7;
inline constexpr std::int64_t kFirstWithAgentBounds = 8;
inline constexpr std::int64_t kSchemaVersion = 8;

[[nodiscard]] std::int64_t SchemaVersion(Database& database);

// True for a file without tables and without any mark.
[[nodiscard]] bool IsBlank(Database& database);

// Makes all tables. REQUIRES: a transaction is open, and the file is blank.
void MakeTables(Database& database);

// Adds the tables and columns that an older version lacks, if this is one. REQUIRES: a transaction
// is open.
void UpgradeTables(Database& database);

// Throws InputError if this is no results file, one of a later version, or damaged.
void CheckFormat(Database& database);

}  // namespace opyard::experiments
