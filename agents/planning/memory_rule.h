// When planners that ignore memory look at it after all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/options.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

//   kOff   never.
//   kOn    always, with the limits of GroupMemory.
//   kAuto  only if no plan without them completed.
enum class MemoryRule : std::uint8_t { kOff, kOn, kAuto };

// The option `capacity_test`: off, on or auto (default).
[[nodiscard]] MemoryRule ReadMemoryRule(Options& options);

// Judges the plans that `make_plans` gives for a share of the memory limits (no value: no limits).
// With limits, shares of 1, 0.85 and 0.7 are tried until a plan completes: what a plan really
// needs, with copies and workspace, may be more than the sums that GroupMemory looks at.
void EvaluateWithMemoryRule(
    MemoryRule rule,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans);

}  // namespace opyard::agents
