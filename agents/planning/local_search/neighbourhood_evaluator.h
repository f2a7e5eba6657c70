// Evaluates the steps of a search that goes from plan to neighbouring plan.
#pragma once

#include <optional>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// The evaluation of a neighbour: from where the step begins to differ and given up as soon as it is
// certain to be refused, or as a whole. The search is the same either way.
enum class NeighbourEvaluation { kIncremental, kWhole };

// Keeps references to the problem and the evaluator.
class NeighbourhoodEvaluator {
 public:
  struct State {
    Decisions decisions;
    sim::Plan plan;  // of `decisions`
    Fitness fitness;
  };

  NeighbourhoodEvaluator(const env::Problem& problem,
                         env::Evaluator& evaluator,
                         NeighbourEvaluation evaluation);

  // The states in one batch; fewer than given only when the budget ended.
  [[nodiscard]] std::vector<State> Evaluate(std::vector<Decisions> decisions);

  // The state of `next`, which should differ from `from` in few groups; nothing when the budget
  // ended, or when its score is certain to exceed `cutoff`.
  [[nodiscard]] std::optional<State> EvaluateNeighbour(const State& from,
                                                       Decisions next,
                                                       std::optional<double> cutoff);

 private:
  [[nodiscard]] env::Move MoveBetween(const State& from, const Decisions& next) const;

  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  NeighbourEvaluation evaluation_;
  std::vector<std::vector<OpId>> ops_of_group_;
};

}  // namespace opyard::agents
