// The table that ends `opyard run`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/statistics/summary.h"

namespace opyard::experiments {

// One block per graph and machine, one line per agent. A line has mean ± 95 % confidence interval
// of the step time, speed-up over the baseline, mean evaluations, seconds and CPU seconds of a run,
// and failed runs of all runs. A "—" stands where there is no figure; the lines below a block say
// why.
[[nodiscard]] std::string ComparisonText(const std::vector<AgentSummary>& summaries,
                                         const std::map<PairKey, Baseline>& baselines);

}  // namespace opyard::experiments
