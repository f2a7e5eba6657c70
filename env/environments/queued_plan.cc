#include "env/environments/queued_plan.h"

#include "env/plan_queue.h"

namespace opyard::env {

std::optional<sim::Plan> FindOtherPlan(const Problem& problem, const sim::Plan& plan) {
  return RunsAsGiven(problem, plan) ? std::nullopt : std::optional(InQueueOf(problem, plan));
}

}  // namespace opyard::env
