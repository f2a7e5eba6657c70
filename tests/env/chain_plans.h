// Plans of ChainProblem (small_problems.h) by their makespan.
#pragma once

#include <vector>

#include "env/evaluator.h"
#include "tests/support/small_graphs.h"

namespace opyard::env {

inline sim::Plan TakesTenUs() {
  return opyard::testing::PlacedOn({0, 0, 0});
}
inline sim::Plan TakesElevenUs() {
  return opyard::testing::PlacedOn({0, 0, 1});
}
inline sim::Plan TakesTwelveUs() {
  return opyard::testing::PlacedOn({0, 1, 0});
}

inline std::vector<double> Scores(const std::vector<Evaluation>& evaluations) {
  std::vector<double> scores;
  for (const Evaluation& evaluation : evaluations) {
    scores.push_back(evaluation.score);
  }
  return scores;
}

}  // namespace opyard::env
