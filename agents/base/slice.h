// A part of a budget for a search inside another one.
#pragma once

#include "env/evaluator.h"

namespace opyard::agents {

// `share` of the evaluator's whole budget, but at least one evaluation: the smallest of budgets is
// somebody's. REQUIRES: as Evaluator::Slice.
[[nodiscard]] inline env::Evaluator SliceOf(env::Evaluator& evaluator, double share) {
  const env::Budget& whole = evaluator.options().budget;
  if (whole.evaluations.has_value() && share * static_cast<double>(*whole.evaluations) < 1.0) {
    return evaluator.Slice(env::Budget{.evaluations = 1});
  }
  return evaluator.Slice(share);
}

}  // namespace opyard::agents
