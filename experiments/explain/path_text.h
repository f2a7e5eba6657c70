// The critical path in words.
#pragma once

#include <span>
#include <string>

#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// The share of the makespan that each kind of part explains, to the picosecond, and then the path
// itself, a line per stretch. A stretch is a sequence of parts of one kind that concern one device
// or one thing that waits. Of many stretches, the longest are listed and the others are summed up.
// `path` is that of the step.
[[nodiscard]] std::string PathText(const sim::SimulatedStep& step,
                                   const sim::Timeline& timeline,
                                   std::span<const sim::CriticalPart> path);

}  // namespace opyard::experiments
