#include "agents/planning/list_scheduling/schedule_variants.h"

#include <optional>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/memory_placement.h"
#include "agents/planning/initial_plans/memory_rule.h"
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

void EvaluateEarliestStarts(Awareness awareness,
                            const env::Problem& problem,
                            env::Evaluator& evaluator,
                            const TransferTimes& transfers,
                            const MakeEarliestStartOptions& make_options) {
  const AddSchedule add_schedule = [&](const ScheduleView& view,
                                       std::optional<double> memory_share,
                                       std::vector<sim::Plan>& plans) {
    EarliestStartOptions options = make_options();
    options.memory_share = memory_share.value_or(1.0);
    options.transfers = view.transfers;
    options.devices = view.devices;
    AddScheduleVariants(problem, transfers, options, plans);
  };
  if (awareness == Awareness::kPublished) {
    std::vector<sim::Plan> plans;
    add_schedule(ViewsOf(awareness, problem).front(), 1.0, plans);
    evaluator.Evaluate(plans);
  } else if (!EvaluateSchedules(awareness, MemoryRule::kOn, problem, evaluator, {add_schedule})) {
    EvaluateBySize(problem, evaluator);
  }
}

}  // namespace opyard::agents
