// The floor of every comparison: random plans, the best of the budget.
#pragma once

#include <cstdint>

#include "agents/planning/decisions.h"
#include "agents/registry.h"

namespace opyard::agents {

// Draws, per group, a device uniformly from those allowed (if placement is a task) and a priority
// uniformly from 0 … levels − 1 (if scheduling is a task) and a fusion priority of 0 … 19 (if
// fusion is a task), until the budget ends: without a budget, until the search is interrupted.
// Where only one plan exists, it is judged once. Options: levels (20), batch (64): plans per call
// of the evaluator.
[[nodiscard]] AgentEntry RandomEntry();

// One such draw.
[[nodiscard]] Decisions RandomDecisions(const env::Problem& problem,
                                        std::int64_t num_levels,
                                        Rng& rng);

}  // namespace opyard::agents
