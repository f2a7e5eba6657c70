// Baselines that the agents of an experiment are measured against.
#pragma once

#include <map>

#include "agents/registry.h"
#include "experiments/matrix/baseline_search.h"
#include "experiments/matrix/prepared_experiment.h"
#include "experiments/matrix/run_matrix.h"
#include "experiments/statistics/summary.h"

namespace opyard::experiments {

// The baseline of each problem that has runs: the mean of those runs of the matrix that are of its
// agent, by label first, then by name. One that is no agent of the matrix is searched for
// (baseline_search.h), unless `matrix` has done so; it is not stored. Long, then.
[[nodiscard]] std::map<PairKey, Baseline> FindBaselines(const PreparedExperiment& experiment,
                                                        const MatrixAnswer& matrix,
                                                        const agents::AgentRegistry& registry,
                                                        const SearchMeans& means);

}  // namespace opyard::experiments
