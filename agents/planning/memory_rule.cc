#include "agents/planning/memory_rule.h"

namespace opyard::agents {
namespace {

constexpr double kMemoryShares[] = {1.0, 0.85, 0.7};

bool HasFeasiblePlan(const env::Evaluator& evaluator) {
  return evaluator.best().has_value() && evaluator.best()->evaluation.is_feasible();
}

}  // namespace

CapacityTest ReadCapacityTest(Options& options) {
  const std::string text = options.Text("capacity_test", "auto", {"auto", "off", "on"});
  if (text == "auto") {
    return CapacityTest::kAuto;
  }
  return text == "on" ? CapacityTest::kOn : CapacityTest::kOff;
}

void EvaluateWithCapacityTest(
    CapacityTest test,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans) {
  if (test != CapacityTest::kOn || !problem.tasks().placement) {
    evaluator.Evaluate(make_plans(std::nullopt));
  }
  if (test == CapacityTest::kOff || !problem.tasks().placement) {
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
