#include "agents/genetic/gene_sampler.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/base/array_index.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

constexpr std::int32_t kUniform = -1;
constexpr double kNumKeys = 0x1p24;

// The key of the interval of 2^−24 that `value` lies in; 1 belongs to the last one.
float GeneAt(double value) {
  return static_cast<float>(std::min(std::floor(value * kNumKeys), kNumKeys - 1.0)) * 0x1p-24F;
}

Chromosome SampleUniform(std::size_t num_genes, Rng& rng) {
  Chromosome genes(num_genes);
  std::size_t i = 0;
  for (; i + 1 < num_genes; i += 2) {
    const std::uint64_t bits = rng.Next();
    genes[i] = GeneOf(static_cast<std::uint32_t>(bits >> 32U));
    genes[i + 1] = GeneOf(static_cast<std::uint32_t>(bits));
  }
  if (i < num_genes) {
    genes[i] = GeneOf(static_cast<std::uint32_t>(rng.Next() >> 32U));
  }
  return genes;
}

}  // namespace

GeneSampler::GeneSampler(std::span<const BetaShape> shape_of_gene, GeneSample sample)
    : sample_(sample) {
  std::map<BetaShape, std::int32_t> index_of = {{BetaShape{}, kUniform}};
  sampler_of_gene_.reserve(shape_of_gene.size());
  for (const BetaShape& shape : shape_of_gene) {
    const auto [entry, is_new] = index_of.try_emplace(shape, Size32(index_of.size()) - 1);
    if (is_new && sample == GeneSample::kQuantiles) {
      quantiles_.emplace_back(shape);
    } else if (is_new) {
      samplers_.emplace_back(shape);
    }
    sampler_of_gene_.push_back(entry->second);
  }
}

Chromosome GeneSampler::Sample(std::size_t num_genes, Rng& rng) const {
  if (sampler_of_gene_.empty()) {
    return SampleUniform(num_genes, rng);
  }
  OPYARD_CHECK(num_genes == sampler_of_gene_.size(), "one distribution per gene");
  if (sample_ == GeneSample::kRejection) {
    return SampleByRejection(rng);
  }
  Chromosome genes = SampleUniform(num_genes, rng);
  for (std::size_t i = 0; i < num_genes; ++i) {
    if (sampler_of_gene_[i] != kUniform) {
      genes[i] = QuantileGene(quantiles_[At(sampler_of_gene_[i])], genes[i]);
    }
  }
  return genes;
}

Chromosome GeneSampler::SampleByRejection(Rng& rng) const {
  Chromosome genes(sampler_of_gene_.size());
  for (std::size_t i = 0; i < genes.size(); ++i) {
    const std::int32_t sampler = sampler_of_gene_[i];
    genes[i] = sampler == kUniform ? GeneOf(static_cast<std::uint32_t>(rng.Next() >> 32U))
                                   : GeneAt(samplers_[At(sampler)].Sample(rng));
  }
  return genes;
}

float QuantileGene(const BetaQuantiles& quantiles, float uniform) {
  return GeneAt(quantiles.At(static_cast<double>(uniform) + 0x1p-25));
}

}  // namespace opyard::agents
