// The tables of trainings and bounds in a results file.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/store/sqlite.h"
#include "experiments/store/stored_bound.h"
#include "experiments/store/stored_training.h"

namespace opyard::experiments {

// All of them, in order of their id; none in a file of a version that had no such table.
[[nodiscard]] std::vector<StoredTraining> TrainingsIn(Database& database);

// Adds one, without regard to its id, in the place of one of the same label; the id that it has.
// REQUIRES: a transaction is open, and the tables are up to date.
std::int64_t PutTraining(Database& database, const StoredTraining& training);

// All of them, sorted by graph, machine and kind; none in a file of a version that had none.
[[nodiscard]] std::vector<StoredBound> BoundsIn(Database& database);

// Adds them, each in the place of one of the same graph, machine and kind. REQUIRES: as
// PutTraining.
void PutBounds(Database& database, const std::vector<StoredBound>& bounds);

}  // namespace opyard::experiments
