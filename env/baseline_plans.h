// Plans of heuristics without a search: the references of rewards.
#pragma once

#include <vector>

#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// One plan per device, in order: every op on that device, or where its group may not run there,
// where the default placement has it. Plans that repeat an earlier one are left out.
[[nodiscard]] std::vector<sim::Plan> SingleDevicePlans(const Problem& problem);

// The groups in order, cut into one run per accelerator (per device, without any) so that the runs
// have about the same mean compute time. A group that may not run on its share's device stays where
// the default placement has it.
[[nodiscard]] sim::Plan ContiguousSplitPlan(const Problem& problem);

// SingleDevicePlans, then ContiguousSplitPlan.
[[nodiscard]] std::vector<sim::Plan> BaselinePlans(const Problem& problem);

}  // namespace opyard::env
