// Validation of a table of best known plans.
#pragma once

#include <filesystem>

#include "experiments/maintenance/validation.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

// Simulates the plan of every row of `table` again. It has to complete in the makespan of the row,
// to the picosecond, with its score, on the graph and the machine of that name, which have to be
// what they were. Graphs and machines are searched for from the current folder, then from the
// table's. Stops early, with what it has seen until then, when interrupted. Throws InputError if
// the table itself cannot be read.
[[nodiscard]] Validation ValidateBestKnown(const std::filesystem::path& table,
                                           const InterruptFlag& interrupt);

}  // namespace opyard::experiments
