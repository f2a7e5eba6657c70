// A plan with what it is worth.
#pragma once

#include <optional>

#include "agents/planning/encoding/fitness.h"
#include "env/evaluator.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

struct EvaluatedPlan {
  sim::Plan plan;
  Fitness fitness;
};

// The best plan that the evaluator has seen; nothing before the first.
[[nodiscard]] inline std::optional<EvaluatedPlan> BestPlanOf(const env::Evaluator& evaluator) {
  if (!evaluator.best().has_value()) {
    return std::nullopt;
  }
  return EvaluatedPlan{.plan = evaluator.best()->plan,
                       .fitness = FitnessOf(evaluator.best()->evaluation)};
}

}  // namespace opyard::agents
