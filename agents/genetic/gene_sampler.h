// The source of new chromosomes: one distribution per gene.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agents/genetic/beta_quantiles.h"
#include "agents/genetic/beta_sampler.h"
#include "agents/genetic/beta_shape.h"
#include "agents/genetic/chromosome.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// The way in which genes with a Beta distribution are sampled.
enum class GeneSample : std::uint8_t {
  kRejection,  // exact (beta_sampler.h)
  // The quantiles of the numbers that a sampler without shapes samples from the same generator
  // (beta_quantiles.h): common random numbers, so that two searches with one seed differ by their
  // distributions alone. One increasing function for all genes of a kind changes no plan.
  kQuantiles,
};

// Samples the first population and the mutants of a genetic algorithm (REGAL, Paliwal et al., ICLR
// 2020: one Beta distribution per gene). Immutable, so that threads may share it.
class GeneSampler {
 public:
  // All genes uniform in [0, 1): BRKGA as it was published.
  GeneSampler() = default;
  // Gene i as `shape_of_gene[i]` says. Throws InternalError for a shape that BetaSampler refuses.
  explicit GeneSampler(std::span<const BetaShape> shape_of_gene,
                       GeneSample sample = GeneSample::kRejection);

  // REQUIRES: num_genes is that of the shapes, if they were given.
  [[nodiscard]] Chromosome Sample(std::size_t num_genes, Rng& rng) const;
  // The number of genes that it has shapes for; 0: it is uniform over any number.
  [[nodiscard]] std::size_t num_shaped_genes() const { return sampler_of_gene_.size(); }

 private:
  [[nodiscard]] Chromosome SampleByRejection(Rng& rng) const;

  GeneSample sample_ = GeneSample::kQuantiles;
  // One per shape of one of the two: shapes are few, genes are many.
  std::vector<BetaSampler> samplers_;
  std::vector<BetaQuantiles> quantiles_;
  std::vector<std::int32_t> sampler_of_gene_;  // kUniform, or an index of the one that is not empty
};

// The gene that `uniform`, a gene with uniform distribution, becomes under `quantiles`: that of the
// middle of its interval of 2^−24.
[[nodiscard]] float QuantileGene(const BetaQuantiles& quantiles, float uniform);

}  // namespace opyard::agents
