#include "agents/genetic/brkga_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <utility>

#include "agents/planning/all_initial_plans.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kUsualSize = 100;
constexpr std::int64_t kLeastSize = 20;
constexpr std::int64_t kLeastGenerations = 20;

// Makes, decodes and evaluates `count` chromosomes as one batch: fewer members than that only when
// the budget ended. `make` is called once for each, from any thread.
std::vector<Member> Evaluate(const GeneCodec& codec,
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

// Evaluates `starts` as they are: the best first, of equals the earlier one. Fewer than given only
// when the budget ended.
std::vector<EvaluatedDecisions> EvaluateInitialPlans(const env::Problem& problem,
                                                     std::vector<Decisions> starts,
                                                     env::Evaluator& evaluator) {
  const std::vector<env::Evaluation> evaluations =
      evaluator.Evaluate(starts.size(), [&](std::size_t i) { return ToPlan(problem, starts[i]); });
  std::vector<EvaluatedDecisions> evaluated;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    evaluated.push_back({.decisions = std::move(starts[i]), .fitness = FitnessOf(evaluations[i])});
  }
  std::ranges::stable_sort(evaluated, {}, &EvaluatedDecisions::fitness);
  return evaluated;
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
  const std::size_t num_genes = GeneLayout(problem, options_.genes).num_genes();
  if (HasOnePlan(problem) || num_genes == 0) {
    evaluator.Evaluate(GeneCodec(problem, options_.genes).Decode(sampler_.Sample(num_genes, rng)));
    return;
  }
  const PopulationShape shape = Shape(evaluator);
  const std::vector<EvaluatedDecisions> starts =
      EvaluateInitialPlans(problem, Starts(problem, evaluator, start, rng), evaluator);
  const GeneCodec codec(
      problem, options_.genes, starts.empty() ? nullptr : starts.front().decisions.order);
  std::vector<Member> members = FirstPopulation(codec, shape.size, starts, evaluator, rng);
  if (members.size() < shape.size) {
    return;
  }
  Population population(shape, std::move(members));
  while (!evaluator.is_done()) {
    const std::vector<Newcomer> next = population.Breed(rng);
    std::vector<Member> newcomers = Evaluate(
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

std::vector<Decisions> BrkgaSearch::Starts(const env::Problem& problem,
                                           const env::Evaluator& evaluator,
                                           const std::optional<Decisions>& given,
                                           Rng& rng) const {
  if (given.has_value()) {
    return {OnLevels(problem, *given, kDefaultLevels)};
  }
  if (options_.start == Start::kRandom) {
    return {};
  }
  std::vector<Decisions> starts = InitialPlans(problem, evaluator, {.start = options_.start}, rng);
  if (!options_.genes.fusion_genes) {
    for (Decisions& decisions : starts) {
      decisions.fusion_of_group.clear();
    }
  }
  return starts;
}

std::vector<Member> BrkgaSearch::FirstPopulation(const GeneCodec& codec,
                                                 std::size_t size,
                                                 std::span<const EvaluatedDecisions> starts,
                                                 env::Evaluator& evaluator,
                                                 Rng& rng) const {
  std::vector<Member> known;
  std::vector<Chromosome> others;  // which decode to something else than was evaluated
  for (const EvaluatedDecisions& start : starts.first(std::min(starts.size(), size / 2))) {
    Chromosome genes = codec.Encode(start.decisions, rng);
    if (codec.IsExactFor(start.decisions)) {
      known.push_back({.genes = std::move(genes), .fitness = start.fitness});
    } else {
      others.push_back(std::move(genes));
    }
  }
  const Rng first(rng.Next());
  std::vector<Member> members = Evaluate(
      codec,
      size - known.size(),
      [&](std::size_t i) {
        Rng own = first.Fork(i);
        return i < others.size() ? others[i] : sampler_.Sample(codec.layout().num_genes(), own);
      },
      evaluator);
  members.insert(members.begin(), known.begin(), known.end());
  return members;
}

}  // namespace opyard::agents
