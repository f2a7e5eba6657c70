#include "env/eager_run.h"

#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::env {

sim::Plan EagerPlanOf(const sim::Plan& plan) {
  return {.placement = plan.placement, .queue = sim::QueueDiscipline::kProgram};
}

std::optional<sim::SimResult> EagerRunOf(const Problem& problem, const sim::Plan& plan) {
  const bool is_eager = problem.settings().default_queue == sim::QueueDiscipline::kProgram &&
                        !problem.tasks().fusion && problem.default_fusion_priority().empty();
  if (is_eager) {
    return std::nullopt;
  }
  sim::Workspace workspace;
  return problem.simulator().Run(EagerPlanOf(plan), workspace);
}

}  // namespace opyard::env
