#include "agents/learned/regal/proposal_search.h"

#include <algorithm>

#include "agents/genetic/gene_layout.h"
#include "agents/learned/regal/policy.h"
#include "agents/learned/regal/proposal.h"
#include "sim/base/rng.h"

namespace opyard::agents::regal {
namespace {

// The result of a search. Nothing if the evaluator was done before the search was.
struct Found {
  std::optional<double> score;  // of its best plan, if one is feasible
};
std::optional<Found> Run(const View& view,
                         const BrkgaSearch& search,
                         std::int64_t decodes,
                         std::uint64_t seed,
                         env::Evaluator& evaluator) {
  env::Evaluator part = evaluator.Slice(env::Budget{.evaluations = decodes});
  Rng rng(seed);
  search.Search(*view.problem, part, rng);
  if (part.num_evaluations() < decodes) {
    return std::nullopt;
  }
  const bool is_feasible = part.best().has_value() && part.best()->evaluation.is_feasible();
  return Found{is_feasible ? std::optional(part.best()->evaluation.score) : std::nullopt};
}

}  // namespace

BrkgaSearch SearchWith(const View& view,
                       const Sizes& sizes,
                       const BrkgaOptions& options,
                       const torch::Tensor& middles) {
  BrkgaOptions chosen = options;
  if (sizes.learned_bias) {
    chosen.elite_bias = EliteBiasOf(middles);
  }
  if (view.num_columns() == 0) {
    return BrkgaSearch(chosen);
  }
  const GeneLayout layout(*view.problem, options.genes);
  return BrkgaSearch(chosen, GeneSampler(ShapesOf(view, layout, middles), GeneSample::kQuantiles));
}

double Improvement(std::optional<double> plain, std::optional<double> proposed) {
  if (plain.has_value() && proposed.has_value()) {
    return *plain > 0.0 ? std::max(-1.0, (*plain - *proposed) / *plain) : 0.0;
  }
  return static_cast<double>(proposed.has_value()) - static_cast<double>(plain.has_value());
}

std::optional<std::vector<double>> Improvements(const View& view,
                                                const torch::Tensor& bins,
                                                const Settings& settings,
                                                std::uint64_t seed,
                                                env::Evaluator& evaluator) {
  const Sizes& sizes = settings.training.sizes;
  const std::int64_t decodes = settings.training.decodes;
  const auto plain = Run(view, BrkgaSearch(settings.genetic), decodes, seed, evaluator);
  std::vector<double> improvements;
  for (const torch::Tensor& of_sample : bins.unbind()) {
    const BrkgaSearch search =
        SearchWith(view, sizes, settings.genetic, MiddlesOf(of_sample, sizes.bins));
    const auto proposed = Run(view, search, decodes, seed, evaluator);
    if (!plain.has_value() || !proposed.has_value()) {
      return std::nullopt;
    }
    improvements.push_back(Improvement(plain->score, proposed->score));
  }
  return improvements;
}

}  // namespace opyard::agents::regal
