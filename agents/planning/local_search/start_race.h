// The choice of a search's start among several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "agents/planning/encoding/evaluated_plan.h"
#include "env/evaluator.h"

namespace opyard::agents {

struct RaceOptions {
  std::size_t num_starts = 8;  // the best that differ in their placements
  double share = 0.3;          // of what is left of the budget
  // In the first round, for each that is improved: where evaluations are too few, only the best
  // 4 or 2 are, or none.
  std::int64_t least_evaluations = 25;
};

// Improves a plan until the evaluator has used the share `until` of its budget.
using Improve = std::function<EvaluatedPlan(EvaluatedPlan plan, double until)>;

// Successive halving (Jamieson and Talwalkar, AISTATS 2016, figure 1): all are improved by equal
// shares of the budget, then the better half by twice as much each, until one is left. Returns all
// `num_starts` of them as they have become, the best first. Where the budget has no limit nothing
// is improved.
[[nodiscard]] std::vector<EvaluatedPlan> RaceStarts(std::vector<EvaluatedPlan> starts,
                                                    const env::Evaluator& evaluator,
                                                    const RaceOptions& options,
                                                    const Improve& improve);

}  // namespace opyard::agents
