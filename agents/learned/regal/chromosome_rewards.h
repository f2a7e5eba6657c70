// The rewards of single chromosomes of proposals.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/regal/proposal.h"
#include "agents/learned/regal/settings.h"
#include "agents/learned/regal/view.h"
#include "env/evaluator.h"

namespace opyard::agents::regal {

// The rewards of the samples of one update, K each.
struct ProposalRewards {
  std::vector<double> rewards;
  std::vector<double> advantages;  // not yet normalised
};

// The rewards of `bins`, int64 [K, decisions], each of which makes one chromosome. Those that BRKGA
// with `seed` begins with, K / batch_size chromosomes of uniform genes, are evaluated as they are,
// and under training.batch_size proposals each. The genes of a proposal are the quantiles of the
// uniform ones (BinQuantiles): samples that follow each other have their uniform numbers in common,
// and differ by their proposals alone. K + K / batch_size evaluations.
//
// Losses are scores relative to the mean of the uniform chromosomes, at most 2, and 2 for a plan
// that is not feasible. The reward is the loss of the uniform chromosome minus that of the proposed
// one; the advantages are BestOfAdvantages, with training.best_of. Nothing if the evaluator was
// done before. REQUIRES: training.batch_size divides K.
[[nodiscard]] std::optional<ProposalRewards> RewardChromosomes(const View& view,
                                                               const torch::Tensor& bins,
                                                               const BinQuantiles& quantiles,
                                                               const Settings& settings,
                                                               std::uint64_t seed,
                                                               env::Evaluator& evaluator);

}  // namespace opyard::agents::regal
