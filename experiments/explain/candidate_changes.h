// Which changes of a plan are worth a simulation.
#pragma once

#include <cstddef>
#include <vector>

#include "env/problem.h"
#include "experiments/explain/decision_weights.h"
#include "experiments/explain/plan_change.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// One change of one decision.
struct Candidate {
  std::size_t decision = 0;  // an index into those that were passed
  PlanChange change;
};

// The changes of `decisions`, in their order, as many as FindCounterfactuals says. `step` is a step
// of `problem`, which decides per op.
[[nodiscard]] std::vector<Candidate> ListCandidates(const env::Problem& problem,
                                                    const sim::SimulatedStep& step,
                                                    const sim::Timeline& timeline,
                                                    const std::vector<Decision>& decisions);

}  // namespace opyard::experiments
