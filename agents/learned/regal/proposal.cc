#include "agents/learned/regal/proposal.h"

#include <cstddef>

#include "agents/genetic/gene_sampler.h"
#include "agents/learned/regal/policy.h"

namespace opyard::agents::regal {

std::vector<std::int64_t> DecisionOfGenes(const View& view, const GeneLayout& layout) {
  std::vector<std::int64_t> decisions(layout.num_genes(), kNotProposed);
  const auto num_columns = static_cast<std::size_t>(view.num_columns());
  const auto decision_at = [&](std::size_t group, std::size_t column) {
    return static_cast<std::int64_t>(2 * (group * num_columns + column));
  };
  for (std::size_t group = 0; group < layout.num_groups; ++group) {
    const std::size_t row = group * layout.num_devices;
    for (std::size_t device = 0; view.proposes_devices && device < layout.num_devices; ++device) {
      decisions[row + device] = decision_at(group, device);
    }
    if (!view.proposes_priorities) {
      continue;
    }
    const std::int64_t priority = decision_at(group, num_columns - 1);
    decisions[layout.first_priority() + group] = priority;
    for (std::size_t device = 0; layout.num_transfers > 0 && device < layout.num_devices;
         ++device) {
      decisions[layout.first_transfer() + row + device] = priority;
    }
  }
  return decisions;
}

std::vector<BetaShape> ShapesOf(const View& view,
                                const GeneLayout& layout,
                                const torch::Tensor& middles) {
  const auto middle = middles.accessor<double, 1>();
  std::vector<BetaShape> shapes;
  for (const std::int64_t decision : DecisionOfGenes(view, layout)) {
    shapes.push_back(decision == kNotProposed ? BetaShape{}
                                              : BetaOfMean(middle[decision], middle[decision + 1]));
  }
  return shapes;
}

double EliteBiasOf(const torch::Tensor& middles) {
  return 0.5 + 0.5 * middles[-1].item<double>();
}

BinQuantiles::BinQuantiles(std::int64_t num_bins) : num_bins_(num_bins) {
  const torch::Tensor middles = MiddlesOf(torch::arange(num_bins), num_bins);
  const auto middle = middles.accessor<double, 1>();
  for (std::int64_t mean = 0; mean < num_bins; ++mean) {
    for (std::int64_t variance = 0; variance < num_bins; ++variance) {
      quantiles_.emplace_back(BetaOfMean(middle[mean], middle[variance]));
    }
  }
}

Chromosome BinQuantiles::GenesOf(std::span<const float> uniforms,
                                 std::span<const std::int64_t> decision_of_gene,
                                 std::span<const std::int64_t> bins) const {
  Chromosome genes(uniforms.begin(), uniforms.end());
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    if (decision_of_gene[gene] != kNotProposed) {
      const auto mean = static_cast<std::size_t>(decision_of_gene[gene]);
      const std::int64_t pair = bins[mean] * num_bins_ + bins[mean + 1];
      genes[gene] = QuantileGene(quantiles_[static_cast<std::size_t>(pair)], genes[gene]);
    }
  }
  return genes;
}

}  // namespace opyard::agents::regal
