#include "agents/planning/list_scheduling/priority_rule.h"

#include <optional>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "env/action_codec.h"

namespace opyard::agents {

void AddPlanWithPriorities(sim::Plan plan,
                           std::span<const double> key,
                           std::vector<sim::Plan>& plans) {
  env::SetPriorities(plan, env::RanksOf(key));
  AddUnlessPresent(plans, std::move(plan));
}

std::vector<double> KeyOfOrder(std::span<const OpId> order) {
  const std::vector<std::int64_t> priorities = PrioritiesOfOrder(order);
  return {priorities.begin(), priorities.end()};
}

void AddListPlans(const env::Problem& problem,
                  const ListPlan& made,
                  std::vector<sim::Plan>& plans) {
  Decisions decisions;
  if (problem.tasks().placement) {
    decisions.device_of_group = made.device_of_group;
  }
  sim::Plan plan = ToPlan(problem, decisions);
  AddUnlessPresent(plans, plan);
  if (problem.tasks().scheduling) {
    env::SetPriorities(plan, made.priorities);
    AddUnlessPresent(plans, std::move(plan));
  }
}

void EvaluatePriorityRule(const env::Problem& problem,
                          env::Evaluator& evaluator,
                          const MakeKey& make_key) {
  sim::Plan plan = env::DefaultPlan(problem);
  if (problem.tasks().scheduling) {
    env::SetPriorities(plan, env::RanksOf(make_key(plan.placement)));
  }
  evaluator.Evaluate(plan);
}

void EvaluatePriorityRuleWherePlaced(const env::Problem& problem,
                                     env::Evaluator& evaluator,
                                     const MakeKey& make_key) {
  if (!problem.tasks().placement) {
    EvaluatePriorityRule(problem, evaluator, make_key);
    return;
  }
  const TransferTimes transfers(problem);
  const OpTimes times = OpTimesFor(Awareness::kAware, problem);
  const std::vector<double> ranks = UpwardRanks(problem, transfers, MainDevices(problem));
  EvaluateSchedules(
      Awareness::kAware,
      MemoryRule::kAuto,
      problem,
      evaluator,
      {[&](const ScheduleView& view,
           std::optional<double> memory_share,
           std::vector<sim::Plan>& plans) {
        const ListScheduleOptions options{.memory_share = memory_share,
                                          .transfers = view.transfers,
                                          .times = &times,
                                          .devices = view.devices};
        sim::Plan plan =
            ToPlan(problem,
                   {.device_of_group =
                        BuildListSchedule(problem, transfers, ranks, options).device_of_group});
        if (problem.tasks().scheduling) {
          env::SetPriorities(plan, env::RanksOf(make_key(plan.placement)));
        }
        AddUnlessPresent(plans, std::move(plan));
      }});
}

}  // namespace opyard::agents
