// The comparison of plans by search agents, those that run out of memory included.
#pragma once

#include <compare>

#include "env/evaluator.h"

namespace opyard::agents {

// Less is better: first the plans that complete, by score; then those that do not, the one that ran
// longer before memory ran out being better, so that a search finds its way back.
struct Fitness {
  bool is_infeasible = false;
  double value = 0.0;  // score, or minus the seconds until memory ran out
  friend auto operator<=>(const Fitness&, const Fitness&) = default;
};

[[nodiscard]] inline Fitness FitnessOf(const env::Evaluation& evaluation) {
  return evaluation.is_feasible()
             ? Fitness{.is_infeasible = false, .value = evaluation.score}
             : Fitness{.is_infeasible = true, .value = -evaluation.result.makespan.seconds()};
}

}  // namespace opyard::agents
