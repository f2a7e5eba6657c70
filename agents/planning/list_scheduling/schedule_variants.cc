#include "agents/planning/list_scheduling/schedule_variants.h"

#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "env/action_codec.h"

namespace opyard::agents {

void AddScheduleVariants(const env::Problem& problem,
                         const TransferTimes& transfers,
                         const EarliestStartOptions& options,
                         std::vector<sim::Plan>& plans) {
  const EarliestStartSchedule schedule = BuildEarliestStartSchedule(problem, transfers, options);
  Decisions decisions;
  if (problem.tasks().placement) {
    decisions.device_of_group = schedule.device_of_group;
  }
  sim::Plan plan = ToPlan(problem, decisions);
  if (problem.tasks().scheduling) {
    sim::Plan ordered = plan;
    env::SetPriorities(ordered, PrioritiesOfOrder(schedule.order));
    AddUnlessPresent(plans, std::move(ordered));
  }
  AddUnlessPresent(plans, std::move(plan));
}

}  // namespace opyard::agents
