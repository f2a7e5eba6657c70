#include "env/evaluation.h"

#include <limits>

#include "env/plan_queue.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::env {

Evaluation EvaluationOf(const Problem& problem, const sim::SimResult& result) {
  Evaluation evaluation{.result = result, .score = std::numeric_limits<double>::infinity()};
  if (evaluation.is_feasible()) {
    evaluation.score = Score(problem.objective(), problem.objective_scale(), result);
  }
  return evaluation;
}

Evaluation EvaluateUncounted(const Problem& problem,
                             const sim::Plan& plan,
                             sim::Workspace& workspace) {
  return EvaluationOf(problem,
                      RunsAsGiven(problem, plan)
                          ? problem.simulator().Run(plan, workspace)
                          : problem.simulator().Run(InQueueOf(problem, plan), workspace));
}

}  // namespace opyard::env
