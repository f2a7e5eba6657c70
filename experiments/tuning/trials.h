// The trials of a tuning: which parameters, in which rounds, and how they stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "agents/base/agent_info.h"
#include "experiments/config/tuning_config.h"
#include "sim/base/options.h"

namespace opyard::experiments {

// A trial, by its number, on a problem, by its place in the list.
struct TrialRun {
  std::size_t trial = 0;
  std::size_t problem = 0;
  friend auto operator<=>(const TrialRun&, const TrialRun&) = default;
};

// The score of each run that is made; nothing where no plan completed.
using TrialScores = std::map<TrialRun, std::optional<double>>;

// Sets of parameters: first `given`, then tuning.trials − 1 with those of the space sampled at
// random over it, each to four digits, whole where the option is. Trial t samples from stream t of
// `seed`.
[[nodiscard]] std::vector<Options> SampleTrials(const TuningConfig& tuning,
                                                const agents::AgentInfo& agent,
                                                const Options& given,
                                                std::uint64_t seed);

// The size of a round: the trials that go on, and the problems that each of them searches.
struct TuningRound {
  std::size_t num_trials = 0;
  std::size_t num_problems = 0;
};

// Successive halving (Karnin, Koren and Somekh, ICML 2013) with another factor: each round has one
// in `shrink` of the trials of the one before, rounded up, and `shrink` times its problems, no more
// than there are. The last one has at least two trials.
[[nodiscard]] std::vector<TuningRound> RoundsOf(const TuningConfig& tuning,
                                                std::size_t num_problems);

// The share by which the score of `trial` is smaller than that of trial 0, in the mean over
// problems 0 … num_problems − 1. On each problem it is in [−1, 1]: −1 where only trial 0 completed,
// 1 where only trial 0 did not. REQUIRES: `scores` has the runs of both.
[[nodiscard]] double MeanImprovement(const TrialScores& scores,
                                     std::size_t trial,
                                     std::size_t num_problems);

// `trials` by their MeanImprovement, best first; of equals the lower number.
[[nodiscard]] std::vector<std::size_t> Ranked(const TrialScores& scores,
                                              std::vector<std::size_t> trials,
                                              std::size_t num_problems);

}  // namespace opyard::experiments
