// The evaluation of one plan.
#pragma once

#include "env/problem.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {
struct Workspace;
}

namespace opyard::env {

struct Evaluation {
  sim::SimResult result;
  double score = 0.0;  // objective.h; +infinity if the plan did not complete

  [[nodiscard]] bool is_feasible() const { return result.outcome == sim::Outcome::kCompleted; }
  // Given up as worse than a cutoff; whether it is feasible is not known.
  [[nodiscard]] bool is_cut_off() const { return result.outcome == sim::Outcome::kCutOff; }
};

// The evaluation of a plan of `problem` whose run gave `result`.
[[nodiscard]] Evaluation EvaluationOf(const Problem& problem, const sim::SimResult& result);

// Evaluates one plan, in the queue that the problem asks for (plan_queue.h), without counting it:
// for what is not a search, like the reward's reference.
[[nodiscard]] Evaluation EvaluateUncounted(const Problem& problem,
                                           const sim::Plan& plan,
                                           sim::Workspace& workspace);

}  // namespace opyard::env
