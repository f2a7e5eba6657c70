// The search of the baseline on a problem where no run of the matrix is one of it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "agents/registry.h"
#include "env/problem.h"
#include "experiments/matrix/prepared_experiment.h"
#include "experiments/statistics/summary.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct BaselineSearch {
  std::optional<env::Reference> best;  // of its best plan; nothing if that does not complete
  std::string outcome;  // of that plan: completed | out_of_memory | deadlock; or no_plan
  double seconds = 0.0;
  double cpu_seconds = 0.0;
};

// By graph and machine.
using BaselineSearches = std::map<PairKey, BaselineSearch>;

// The circumstances of a search: its threads, and what stops it.
struct SearchMeans {
  std::size_t num_threads = 1;
  const InterruptFlag* interrupt = nullptr;
};

// The agent of the list that the experiment's baseline means, by label first, then by name; null if
// it is none of them.
[[nodiscard]] const AgentConfig* FindBaselineAgent(const ExperimentConfig& config);

// Runs the baseline, an agent that the list lacks, once, with the experiment's budget and seed 0.
// Long, then.
[[nodiscard]] BaselineSearch SearchBaseline(const ExperimentConfig& config,
                                            const PreparedProblem& problem,
                                            const agents::AgentRegistry& registry,
                                            const SearchMeans& means);

// Runs `agent`, the baseline of the list, as the matrix does with its first seed: for a piece of
// the matrix that lacks that run. Long.
[[nodiscard]] BaselineSearch SearchBaselineRun(const ExperimentConfig& config,
                                               const AgentConfig& agent,
                                               const PreparedProblem& problem,
                                               const agents::AgentRegistry& registry,
                                               const SearchMeans& means);

}  // namespace opyard::experiments
