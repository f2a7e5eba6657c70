#include "agents/planning/priority_rule.h"

#include <utility>

#include "agents/planning/decisions.h"
#include "env/action_codec.h"

namespace opyard::agents {

void AddPlanWithPriorities(sim::Plan plan,
                           std::span<const double> key,
                           std::vector<sim::Plan>& plans) {
  env::SetPriorities(plan, env::RanksOf(key));
  AddUnlessPresent(plans, std::move(plan));
}

std::vector<std::int64_t> PrioritiesOfOrder(std::span<const OpId> order) {
  std::vector<std::int64_t> priority(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    priority[order[i].index()] = static_cast<std::int64_t>(order.size() - 1 - i);
  }
  return priority;
}

void EvaluatePriorityRule(
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<double>(std::span<const DeviceId> placement)>& make_key) {
  sim::Plan plan = env::DefaultPlan(problem);
  if (problem.tasks().scheduling) {
    env::SetPriorities(plan, env::RanksOf(make_key(plan.placement)));
  }
  evaluator.Evaluate(plan);
}

}  // namespace opyard::agents
