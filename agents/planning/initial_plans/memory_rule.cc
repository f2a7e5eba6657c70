#include "agents/planning/initial_plans/memory_rule.h"

#include <algorithm>

namespace opyard::agents {

Words<MemoryRule> MemoryRuleWords() {
  return {{"auto", MemoryRule::kAuto}, {"off", MemoryRule::kOff}, {"on", MemoryRule::kOn}};
}

bool TryWithMemoryRule(MemoryRule rule,
                       const env::Problem& problem,
                       env::Evaluator& evaluator,
                       const std::function<bool(std::optional<double> memory_share)>& try_plans) {
  bool has_completed = false;
  if (rule != MemoryRule::kOn || !problem.tasks().placement) {
    has_completed = try_plans(std::nullopt);
  }
  if (rule == MemoryRule::kOff || !problem.tasks().placement) {
    return has_completed;
  }
  for (const double share : kMemoryShares) {
    if (evaluator.is_done() || has_completed) {
      return has_completed;
    }
    has_completed = try_plans(share);
  }
  return has_completed;
}

bool EvaluateWithMemoryRule(
    MemoryRule rule,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans) {
  return TryWithMemoryRule(rule, problem, evaluator, [&](std::optional<double> memory_share) {
    return std::ranges::any_of(
        evaluator.Evaluate(make_plans(memory_share)),
        [](const env::Evaluation& evaluation) { return evaluation.is_feasible(); });
  });
}

}  // namespace opyard::agents
