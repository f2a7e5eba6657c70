// An explanation as text for people.
#pragma once

#include <string>

#include "experiments/explain/explanation.h"
#include "experiments/explain/plan_change.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// "a and 2 with it on gpu1 instead of gpu0": `change` of the plan of `step`.
[[nodiscard]] std::string ChangeSentence(const sim::SimulatedStep& step, const PlanChange& change);

// Blocks of text, an empty line between two: the critical path, the idle time of each device by
// reason, the largest residents of the fullest device at its peak, the answers to what if, and the
// decisions that matter most. `explanation` is that of `step`.
[[nodiscard]] std::string ExplanationText(const sim::SimulatedStep& step,
                                          const Explanation& explanation);

}  // namespace opyard::experiments
