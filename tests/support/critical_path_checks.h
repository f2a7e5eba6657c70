// Checks of a critical path by the spans of its report alone.
#pragma once

#include <array>
#include <cstdint>

#include "sim/analysis/critical_path.h"
#include "tests/support/simulated_case.h"

namespace opyard::testing {

// The number of times that each kind of part was seen.
using KindCounts = std::array<std::int64_t, sim::kNumPartKinds>;

// Expects that the critical path of a step covers the makespan without a gap or an overlap, and
// that each part is what it says. Counts the parts in `seen`. REQUIRES: the step completed.
void CheckCriticalPath(const SimulatedCase& made, KindCounts& seen);

}  // namespace opyard::testing
