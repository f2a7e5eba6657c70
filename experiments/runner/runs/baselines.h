// What the agents of an experiment are measured against.
#pragma once

#include <map>
#include <vector>

#include "agents/registry.h"
#include "experiments/runner/comparison/summary.h"
#include "experiments/runner/runs/prepared_experiment.h"
#include "experiments/runner/store/run_record.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

// The baseline of each problem: the mean of those of `runs` that are of its agent, by label first,
// then by name. One that is no agent of the matrix is run once, with the experiment's budget and
// seed 0, on all cores; it is not stored. Long, then.
[[nodiscard]] std::map<PairKey, Baseline> FindBaselines(const PreparedExperiment& experiment,
                                                        const std::vector<RunRecord>& runs,
                                                        const agents::AgentRegistry& registry,
                                                        const InterruptFlag* interrupt);

}  // namespace opyard::experiments
