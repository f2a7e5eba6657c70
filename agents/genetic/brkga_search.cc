#include "agents/genetic/brkga_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <utility>

#include "agents/planning/rule_starts.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kUsualSize = 100;
constexpr std::int64_t kLeastSize = 20;
constexpr std::int64_t kLeastGenerations = 20;
// Levels of the starts' priorities; they only set an order.
constexpr std::int64_t kStartLevels = 20;

// Makes, decodes and judges `count` chromosomes as one batch: fewer members than that only when the
// budget ended. `make` is called once for each, from any thread.
std::vector<Member> Judge(const GeneCodec& codec,
                          std::size_t count,
                          const std::function<Chromosome(std::size_t)>& make,
                          env::Evaluator& evaluator) {
  std::vector<Chromosome> genes(count);
  std::vector<std::once_flag> is_made(count);
  const std::vector<env::Evaluation> evaluations = evaluator.Evaluate(count, [&](std::size_t i) {
    std::call_once(is_made[i], [&] { genes[i] = make(i); });
    return codec.Decode(genes[i]);
  });
  std::vector<Member> members;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    members.push_back({.genes = std::move(genes[i]), .fitness = FitnessOf(evaluations[i])});
  }
  return members;
}

}  // namespace

BrkgaSearch::BrkgaSearch(const BrkgaOptions& options, GeneSampler sampler)
    : options_(options), sampler_(std::move(sampler)) {
  if (options.population == 1) {
    throw InputError("option population: found 1, expected 0 or at least 2");
  }
  OPYARD_CHECK(options.elite_bias >= 0.5 && options.elite_bias < 1.0,
               "a child has more of its elite parent, and not all");
}

void BrkgaSearch::Search(const env::Problem& problem,
                         env::Evaluator& evaluator,
                         Rng& rng,
                         const std::optional<Decisions>& start) const {
  const GeneCodec codec(problem, options_.genes);
  const std::size_t num_genes = codec.layout().num_genes();
  if (HasOnePlan(problem) || num_genes == 0) {
    evaluator.Evaluate(codec.Decode(sampler_.Draw(num_genes, rng)));
    return;
  }
  const PopulationShape shape = Shape(evaluator);
  const std::vector<Chromosome> starts = StartGenes(problem, codec, shape.size, start, rng);
  const Rng first(rng.Next());
  std::vector<Member> members = Judge(
      codec,
      shape.size,
      [&](std::size_t i) {
        Rng own = first.Fork(i);
        return i < starts.size() ? starts[i] : sampler_.Draw(num_genes, own);
      },
      evaluator);
  if (members.size() < shape.size) {
    return;
  }
  Population population(shape, std::move(members));
  while (!evaluator.is_done()) {
    const std::vector<Newcomer> next = population.Breed(rng);
    std::vector<Member> newcomers = Judge(
        codec,
        next.size(),
        [&](std::size_t i) { return population.GenesOf(next[i], sampler_); },
        evaluator);
    if (newcomers.size() < next.size()) {
      return;
    }
    population.Replace(std::move(newcomers));
  }
}

PopulationShape BrkgaSearch::Shape(const env::Evaluator& evaluator) const {
  const std::int64_t affordable =
      evaluator.EvaluationsLeft(kUsualSize * kLeastGenerations) / kLeastGenerations;
  const std::int64_t size = options_.population > 0
                                ? options_.population
                                : std::clamp(affordable, kLeastSize, kUsualSize);
  const auto share = [&](double fraction) {
    return static_cast<std::size_t>(std::llround(fraction * static_cast<double>(size)));
  };
  return {.size = static_cast<std::size_t>(size),
          .num_elites = std::clamp<std::size_t>(
              share(options_.elite_share), 1, static_cast<std::size_t>(size) - 1),
          .num_mutants = std::min(share(options_.mutant_share), static_cast<std::size_t>(size / 2)),
          .elite_bias = options_.elite_bias};
}

std::vector<Chromosome> BrkgaSearch::StartGenes(const env::Problem& problem,
                                                const GeneCodec& codec,
                                                std::size_t most,
                                                const std::optional<Decisions>& start,
                                                Rng& rng) const {
  std::vector<Decisions> starts;
  if (start.has_value()) {
    starts = {*start};
  } else if (options_.start != Start::kRandom) {
    starts = StartsFor(problem,
                       {.start = options_.start,
                        .num_levels = kStartLevels,
                        .evaluations_left = static_cast<std::int64_t>(4 * most)},
                       rng);
  }
  starts.resize(std::min(starts.size(), most));
  std::vector<Chromosome> genes;
  for (const Decisions& decisions : starts) {
    genes.push_back(codec.Encode(WithoutOrder(problem, decisions, kStartLevels), rng));
  }
  return genes;
}

}  // namespace opyard::agents
