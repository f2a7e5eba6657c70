// Plans of episodes as they are simulated: in the queue that the problem asks for.
#pragma once

#include <optional>

#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// The plan that is simulated for `plan` (InQueueOf, plan_queue.h), if it is another one.
[[nodiscard]] std::optional<sim::Plan> FindOtherPlan(const Problem& problem, const sim::Plan& plan);

}  // namespace opyard::env
