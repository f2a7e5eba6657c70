#include "agents/search/brkga/brkga.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "agents/planning/simple_plans.h"
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

class Brkga final : public Agent {
 public:
  explicit Brkga(Options& options)
      : size_(options.Int("population", 0, 0, 100'000)),
        elite_share_(options.Double("elite_share", 0.2, 0.0, 0.5)),
        mutant_share_(options.Double("mutant_share", 0.15, 0.0, 0.5)),
        elite_bias_(options.Double("elite_bias", 0.7, 0.5, 1.0)),
        has_simple_starts_(options.Text("start", "simple", {"simple", "random"}) == "simple") {
    if (size_ == 1) {
      throw InputError("option population: found 1, expected 0 or at least 2");
    }
  }

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const TrainingListener& /*listener*/) override {
    const KeyDecoder decoder(problem);
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(
          ToPlan(problem, decoder.Decode(RandomChromosome(decoder.num_keys(), rng))));
      return;
    }
    const PopulationShape shape = Shape(evaluator);
    std::vector<Member> first =
        Judge(problem, decoder, FirstKeys(problem, decoder, shape.size, rng), evaluator);
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
    const std::int64_t size = size_ > 0 ? size_ : std::clamp(affordable, kLeastSize, kUsualSize);
    const auto share = [&](double fraction) {
      return static_cast<std::size_t>(std::llround(fraction * static_cast<double>(size)));
    };
    return {.size = static_cast<std::size_t>(size),
            .num_elites =
                std::clamp<std::size_t>(share(elite_share_), 1, static_cast<std::size_t>(size) - 1),
            .num_mutants = std::min(share(mutant_share_), static_cast<std::size_t>(size / 2)),
            .elite_bias = elite_bias_};
  }

  [[nodiscard]] std::vector<Chromosome> FirstKeys(const env::Problem& problem,
                                                  const KeyDecoder& decoder,
                                                  std::size_t size,
                                                  Rng& rng) const {
    std::vector<Chromosome> keys;
    if (has_simple_starts_) {
      for (const Decisions& start : SimpleStarts(problem, kStartLevels)) {
        keys.push_back(decoder.Encode(start, rng));
      }
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
    std::vector<sim::Plan> plans;
    for (const Chromosome& chromosome : keys) {
      plans.push_back(ToPlan(problem, decoder.Decode(chromosome)));
    }
    const std::vector<env::Evaluation> evaluations = evaluator.Evaluate(plans);
    std::vector<Member> members;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      members.push_back({.keys = std::move(keys[i]), .fitness = FitnessOf(evaluations[i])});
    }
    return members;
  }

  std::int64_t size_;
  double elite_share_;
  double mutant_share_;
  double elite_bias_;
  bool has_simple_starts_;
};

}  // namespace

AgentEntry BrkgaEntry() {
  return {
      .info = {.name = "brkga",
               .kind = AgentKind::kSearch,
               .tasks = {"placement", "scheduling", "fusion"},
               .paper = "Gonçalves and Resende, J. Heuristics 2011",
               .summary = "Genetic algorithm with biased random keys: an affinity per group and "
                          "device, a priority per group."},
      .make = [](Options& options) -> std::unique_ptr<Agent> {
        return std::make_unique<Brkga>(options);
      }};
}

}  // namespace opyard::agents
