// The distributions of genes that a network proposes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "agents/genetic/beta_quantiles.h"
#include "agents/genetic/beta_shape.h"
#include "agents/genetic/chromosome.h"
#include "agents/genetic/gene_layout.h"
#include "agents/learned/regal/view.h"

namespace opyard::agents::regal {

// For each gene of `layout` the decision of `view` that proposes its mean, which is followed by
// that of its variance; kNotProposed for a gene that stays uniform. The genes of a group's copies
// have the distribution of its priority; fusion genes are not proposed.
inline constexpr std::int64_t kNotProposed = -1;
[[nodiscard]] std::vector<std::int64_t> DecisionOfGenes(const View& view, const GeneLayout& layout);

// The distribution of each gene of `layout`, where `middles`, float64 [decisions] in (0, 1), is
// what a policy proposes for `view` (MiddlesOf).
[[nodiscard]] std::vector<BetaShape> ShapesOf(const View& view,
                                              const GeneLayout& layout,
                                              const torch::Tensor& middles);

// The elite bias among `middles`, in (0.5, 1): its decision stands for the share of the way from
// 0.5. REQUIRES: the network proposes it, as the last decision.
[[nodiscard]] double EliteBiasOf(const torch::Tensor& middles);

// The quantiles of all distributions that pairs of bins stand for, made once.
class BinQuantiles {
 public:
  explicit BinQuantiles(std::int64_t num_bins);

  // The genes with the distributions of `bins`, [decisions], at the probabilities `uniforms`, a
  // chromosome of a sampler without shapes (GeneSample::kQuantiles). `decision_of_gene`: as
  // DecisionOfGenes gives it.
  [[nodiscard]] Chromosome GenesOf(std::span<const float> uniforms,
                                   std::span<const std::int64_t> decision_of_gene,
                                   std::span<const std::int64_t> bins) const;

 private:
  std::int64_t num_bins_;
  std::vector<BetaQuantiles> quantiles_;  // [bins of the mean, bins of the variance], row-major
};

}  // namespace opyard::agents::regal
