// The critical path in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// A sequence of parts of one kind that concern one device or one thing that waits.
struct PathStretch {
  sim::PartKind kind = sim::PartKind::kKernel;
  SimTime start;
  SimTime duration;
  std::string sentence;
};

// The longest stretches of the path of the step, 24 at most, in order of time.
[[nodiscard]] std::vector<PathStretch> LongestStretches(const sim::SimulatedStep& step,
                                                        const sim::Timeline& timeline,
                                                        std::span<const sim::CriticalPart> path);

// The share of the makespan that each kind of part explains, to the picosecond, and then the path
// itself, a line per stretch. Of many stretches, the longest are listed and the others are summed
// up. `path` is that of the step.
[[nodiscard]] std::string PathText(const sim::SimulatedStep& step,
                                   const sim::Timeline& timeline,
                                   std::span<const sim::CriticalPart> path);

}  // namespace opyard::experiments
