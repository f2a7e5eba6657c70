// Judges the steps of a search that goes from plan to neighbouring plan.
#pragma once

#include <optional>
#include <vector>

#include "agents/planning/decisions.h"
#include "agents/planning/fitness.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// How a neighbour is judged: from where the step begins to differ and given up as soon as it is
// certain to be refused, or as a whole. The search is the same.
enum class Judging { kIncremental, kWhole };

// Keeps references to the problem and the evaluator.
class Walk {
 public:
  struct State {
    Decisions decisions;
    sim::Plan plan;  // of `decisions`
    Fitness fitness;
  };

  Walk(const env::Problem& problem, env::Evaluator& evaluator, Judging judging);

  // The states in one batch; fewer than given only when the budget ended.
  [[nodiscard]] std::vector<State> Judge(std::vector<Decisions> decisions);

  // The state of `next`, which should differ from `from` in few groups; nothing when the budget
  // ended, or when its score is certain to exceed `cutoff`.
  [[nodiscard]] std::optional<State> Step(const State& from,
                                          Decisions next,
                                          std::optional<double> cutoff);

 private:
  [[nodiscard]] env::Move MoveBetween(const State& from, const Decisions& next) const;

  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Judging judging_;
  std::vector<std::vector<OpId>> ops_of_group_;
};

}  // namespace opyard::agents
