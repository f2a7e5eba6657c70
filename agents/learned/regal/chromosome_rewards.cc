#include "agents/learned/regal/chromosome_rewards.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "agents/genetic/gene_codec.h"
#include "agents/genetic/gene_sampler.h"
#include "agents/learned/regal/advantages.h"
#include "sim/base/rng.h"

namespace opyard::agents::regal {
namespace {

constexpr double kMostLoss = 2.0;

// The chromosomes that BrkgaSearch samples first, without a plan to begin at.
std::vector<Chromosome> FirstChromosomes(std::size_t count,
                                         std::size_t num_genes,
                                         std::uint64_t seed) {
  Rng rng(seed);
  const Rng first(rng.Next());
  std::vector<Chromosome> chromosomes;
  for (std::size_t i = 0; i < count; ++i) {
    Rng own = first.Fork(i);
    chromosomes.push_back(GeneSampler().Sample(num_genes, own));
  }
  return chromosomes;
}

// The mean score of those that are feasible; nothing if none is.
std::optional<double> MeanScore(std::span<const env::Evaluation> evaluations) {
  double sum = 0.0;
  double count = 0.0;
  for (const env::Evaluation& evaluation : evaluations) {
    if (evaluation.is_feasible()) {
      sum += evaluation.score;
      count += 1.0;
    }
  }
  return count > 0.0 && sum > 0.0 ? std::optional(sum / count) : std::nullopt;
}

// [evaluations].
std::vector<double> LossesOf(std::span<const env::Evaluation> evaluations,
                             std::size_t num_uniform) {
  std::optional<double> reference = MeanScore(evaluations.first(num_uniform));
  if (!reference.has_value()) {
    reference = MeanScore(evaluations);
  }
  std::vector<double> losses;
  for (const env::Evaluation& evaluation : evaluations) {
    losses.push_back(evaluation.is_feasible() && reference.has_value()
                         ? std::min(kMostLoss, evaluation.score / *reference)
                         : kMostLoss);
  }
  return losses;
}

}  // namespace

std::optional<ProposalRewards> RewardChromosomes(const View& view,
                                                 const torch::Tensor& bins,
                                                 const BinQuantiles& quantiles,
                                                 const Settings& settings,
                                                 std::uint64_t seed,
                                                 env::Evaluator& evaluator) {
  const auto per_uniform = static_cast<std::size_t>(settings.training.batch_size);
  const auto num_samples = static_cast<std::size_t>(bins.size(0));
  const std::size_t num_uniform = num_samples / per_uniform;
  const GeneCodec codec(*view.problem, settings.genetic.genes);
  const std::vector<std::int64_t> decisions = DecisionOfGenes(view, codec.layout());
  const std::vector<Chromosome> uniform =
      FirstChromosomes(num_uniform, codec.layout().num_genes(), seed);
  const torch::Tensor on_cpu = bins.to(torch::kCPU).contiguous();  // [K, decisions]
  const std::span<const std::int64_t> all(on_cpu.const_data_ptr<std::int64_t>(),
                                          static_cast<std::size_t>(on_cpu.numel()));
  const std::size_t width = all.size() / num_samples;
  const auto make = [&](std::size_t i) {
    if (i < num_uniform) {
      return codec.Decode(uniform[i]);
    }
    const std::size_t sample = i - num_uniform;
    return codec.Decode(quantiles.GenesOf(
        uniform[sample / per_uniform], decisions, all.subspan(sample * width, width)));
  };
  const std::vector<env::Evaluation> evaluations =
      evaluator.Evaluate(num_uniform + num_samples, make);
  if (evaluations.size() < num_uniform + num_samples) {
    return std::nullopt;
  }
  const std::vector<double> losses = LossesOf(evaluations, num_uniform);
  const std::span<const double> of_samples = std::span(losses).subspan(num_uniform);
  ProposalRewards found;
  for (std::size_t i = 0; i < num_samples; ++i) {
    found.rewards.push_back(losses[i / per_uniform] - of_samples[i]);
  }
  found.advantages =
      BestOfAdvantages(of_samples, settings.training.batch_size, settings.training.best_of);
  return found;
}

}  // namespace opyard::agents::regal
