#include "agents/learned/common/only_plan.h"

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"

namespace opyard::agents {

sim::Plan OnlyPlan(const env::Problem& problem) {
  Decisions decisions;
  if (problem.tasks().placement) {
    decisions.device_of_group = DeviceOfGroups(problem, problem.default_placement());
  }
  if (problem.tasks().scheduling) {
    decisions.priority_of_group = LevelsByUpwardRank(problem, kDefaultLevels);
  }
  return ToPlan(problem, decisions);
}

}  // namespace opyard::agents
