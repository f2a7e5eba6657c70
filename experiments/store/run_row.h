// The columns of the table of runs.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/store/run_record.h"
#include "experiments/store/sqlite.h"

namespace opyard::experiments {

// Those that a file of schema version `version` has, but for id and plan, with commas between.
[[nodiscard]] std::string RunColumns(std::int64_t version);

// Reads a row of "id, " + RunColumns(version); without plan, history and training curve. Throws
// InputError, which names `place`, for a value that no version wrote.
[[nodiscard]] RunRecord ReadRun(const Statement& row,
                                std::int64_t version,
                                const std::string& place);

// Adds a row, the plan included; its id. REQUIRES: the tables are up to date.
std::int64_t InsertRun(Database& database, const RunRecord& record);

}  // namespace opyard::experiments
