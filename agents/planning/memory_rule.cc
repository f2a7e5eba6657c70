#include "agents/planning/memory_rule.h"

namespace opyard::agents {
namespace {

constexpr double kMemoryShares[] = {1.0, 0.85, 0.7};

bool HasFeasiblePlan(const env::Evaluator& evaluator) {
  return evaluator.best().has_value() && evaluator.best()->evaluation.is_feasible();
}

}  // namespace

Words<MemoryRule> MemoryRuleWords() {
  return {{"auto", MemoryRule::kAuto}, {"off", MemoryRule::kOff}, {"on", MemoryRule::kOn}};
}

void EvaluateWithMemoryRule(
    MemoryRule rule,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans) {
  if (rule != MemoryRule::kOn || !problem.tasks().placement) {
    evaluator.Evaluate(make_plans(std::nullopt));
  }
  if (rule == MemoryRule::kOff || !problem.tasks().placement) {
    return;
  }
  for (const double share : kMemoryShares) {
    if (evaluator.is_done() || HasFeasiblePlan(evaluator)) {
      return;
    }
    evaluator.Evaluate(make_plans(share));
  }
}

}  // namespace opyard::agents
