#include "agents/search/brkga/brkga.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/common_options.h"
#include "agents/planning/rule_starts.h"
#include "agents/search/brkga/decoder.h"
#include "agents/search/brkga/population.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kUsualSize = 100;
constexpr std::int64_t kLeastSize = 20;
constexpr std::int64_t kLeastGenerations = 20;
// Levels of the starts' priorities; they only set an order.
constexpr std::int64_t kStartLevels = 20;

struct Settings {
  std::int64_t population = 0;
  double elite_share = 0.2;
  double mutant_share = 0.15;
  double elite_bias = 0.7;
  Start start = Start::kRules;
};

OptionTable<Settings> BrkgaOptions() {
  return OptionTable<Settings>(
      {{.name = "population",
        .field = Whole(&Settings::population, 0, 100'000),
        .meaning =
            "members of a generation, at least 2; 0: a twentieth of the evaluations, from 20 "
            "to 100"},
       {.name = "elite_share",
        .field = Real(&Settings::elite_share, 0.0, 0.5),
        .meaning = "share of the population that lives on; at least one member does",
        .paper = "0.1 to 0.25"},
       {.name = "mutant_share",
        .field = Real(&Settings::mutant_share, 0.0, 0.5),
        .meaning = "share of the population that is drawn afresh in each generation",
        .paper = "0.1 to 0.3"},
       {.name = "elite_bias",
        .field = Real(&Settings::elite_bias, 0.5, 1.0),
        .meaning = "probability that a key comes from the elite parent",
        .paper = "0.5 to 0.8"},
       StartRow(&Settings::start)});
}

class Brkga final : public Agent {
 public:
  explicit Brkga(const Settings& settings) : settings_(settings) {
    if (settings.population == 1) {
      throw InputError("option population: found 1, expected 0 or at least 2");
    }
  }

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    const KeyDecoder decoder(problem);
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(
          ToPlan(problem, decoder.Decode(RandomChromosome(decoder.num_keys(), rng))));
      return;
    }
    const PopulationShape shape = Shape(evaluator);
    std::vector<Member> first = Judge(
        problem, decoder, FirstKeys(problem, decoder, shape.size, context.start, rng), evaluator);
    if (first.size() < shape.size) {
      return;
    }
    Population population(shape, std::move(first));
    while (!evaluator.is_done()) {
      std::vector<Chromosome> keys = population.Breed(rng);
      const std::size_t num_newcomers = keys.size();
      std::vector<Member> newcomers = Judge(problem, decoder, std::move(keys), evaluator);
      if (newcomers.size() < num_newcomers) {
        return;
      }
      population.Replace(std::move(newcomers));
    }
  }

 private:
  [[nodiscard]] PopulationShape Shape(const env::Evaluator& evaluator) const {
    const std::int64_t affordable =
        evaluator.EvaluationsLeft(kUsualSize * kLeastGenerations) / kLeastGenerations;
    const std::int64_t size = settings_.population > 0
                                  ? settings_.population
                                  : std::clamp(affordable, kLeastSize, kUsualSize);
    const auto share = [&](double fraction) {
      return static_cast<std::size_t>(std::llround(fraction * static_cast<double>(size)));
    };
    return {
        .size = static_cast<std::size_t>(size),
        .num_elites = std::clamp<std::size_t>(
            share(settings_.elite_share), 1, static_cast<std::size_t>(size) - 1),
        .num_mutants = std::min(share(settings_.mutant_share), static_cast<std::size_t>(size / 2)),
        .elite_bias = settings_.elite_bias};
  }

  [[nodiscard]] std::vector<Chromosome> FirstKeys(const env::Problem& problem,
                                                  const KeyDecoder& decoder,
                                                  std::size_t size,
                                                  const std::optional<Decisions>& given,
                                                  Rng& rng) const {
    std::vector<Decisions> starts;
    if (given.has_value()) {
      starts = {*given};
    } else if (settings_.start != Start::kRandom) {
      starts = StartsFor(problem,
                         {.start = settings_.start,
                          .num_levels = kStartLevels,
                          .evaluations_left = static_cast<std::int64_t>(4 * size)},
                         rng);
    }
    std::vector<Chromosome> keys;
    for (const Decisions& start : starts) {
      keys.push_back(decoder.Encode(WithoutOrder(problem, start, kStartLevels), rng));
    }
    keys.resize(std::min(keys.size(), size));
    while (keys.size() < size) {
      keys.push_back(RandomChromosome(decoder.num_keys(), rng));
    }
    return keys;
  }

  // The chromosomes with their fitness: fewer than given only when the budget ended.
  static std::vector<Member> Judge(const env::Problem& problem,
                                   const KeyDecoder& decoder,
                                   std::vector<Chromosome> keys,
                                   env::Evaluator& evaluator) {
    const std::vector<env::Evaluation> evaluations = evaluator.Evaluate(
        keys.size(), [&](std::size_t i) { return ToPlan(problem, decoder.Decode(keys[i])); });
    std::vector<Member> members;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      members.push_back({.keys = std::move(keys[i]), .fitness = FitnessOf(evaluations[i])});
    }
    return members;
  }

  Settings settings_;
};

}  // namespace

AgentEntry BrkgaEntry() {
  return MakeEntry<Brkga>(
      {.name = "brkga",
       .kind = AgentKind::kSearch,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "Gonçalves and Resende, J. Heuristics 2011",
       .summary = "Genetic algorithm with biased random keys: an affinity per group and device, a "
                  "priority per group.",
       .deviations =
           {"The keys are those of REGAL (Paliwal et al., ICLR 2020) without its tensor "
            "priorities, and one for fusion.",
            "The first population holds the rules' plans; {start: random} leaves them out.",
            "Without population and with less than 2,000 evaluations left, the population "
            "is a twentieth of them: many generations rather than few."}},
      BrkgaOptions());
}

}  // namespace opyard::agents
