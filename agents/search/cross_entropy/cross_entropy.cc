#include "agents/search/cross_entropy/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/encoding/random_decisions.h"
#include "agents/planning/level_agent.h"
#include "agents/search/cross_entropy/distributions.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kUsualBatch = 100;
constexpr std::int64_t kLeastBatch = 20;
constexpr std::int64_t kUsualBatches = 50;

struct CrossEntropySettings {
  std::int64_t batch = 0;
  double elite_share = 0.05;
  double step = 0.2;
  double uniform_share = 0.001;
  double start_share = 0.97;
  std::int64_t num_levels = kDefaultLevels;
  double slice = 0.25;
  Start start = Start::kHeuristics;
};

OptionTable<CrossEntropySettings> CrossEntropyOptions() {
  return OptionTable<CrossEntropySettings>(
      {{.name = "batch",
        .field = Whole(&CrossEntropySettings::batch, 0, 100'000),
        .meaning = "plans that are sampled before the distributions move; 0: a fiftieth of the "
                   "evaluations, from 20 to 100"},
       {.name = "elite_share",
        .field = Real(&CrossEntropySettings::elite_share, 1e-4, 1.0),
        .meaning = "share of a batch, at least two plans, that the distributions move towards"},
       {.name = "step",
        .field = Real(&CrossEntropySettings::step, 1e-4, 1.0),
        .meaning = "how far they move: 1 forgets what was before"},
       {.name = "uniform",
        .field = Real(&CrossEntropySettings::uniform_share, 0.0, 1.0),
        .meaning = "share of the uniform distribution in all that is sampled from"},
       {.name = "start_share",
        .field = Real(&CrossEntropySettings::start_share, 0.0, 0.999),
        .meaning = "how far the first distributions are moved towards the best plan that was "
                   "evaluated first; none where start is random",
        .paper = "0"},
       LevelsRow(&CrossEntropySettings::num_levels),
       SliceRow(&CrossEntropySettings::slice),
       StartRow(&CrossEntropySettings::start)});
}

struct Evaluated {
  Decisions decisions;
  Fitness fitness;
};

// One search.
class CrossEntropySearch {
 public:
  CrossEntropySearch(const env::Problem& problem,
                     env::Evaluator& evaluator,
                     Rng& rng,
                     const CrossEntropySettings& settings)
      : problem_(problem),
        evaluator_(evaluator),
        rng_(rng),
        settings_(settings),
        batch_(BatchSize()) {}

  void Run(std::optional<Decisions> given) {
    if (given.has_value()) {
      Evaluate({std::move(*given)});
    } else if (settings_.start != Start::kRandom) {
      Evaluate(InitialPlans(problem_,
                            evaluator_,
                            {.start = settings_.start, .num_levels = settings_.num_levels},
                            rng_));
    }
    order_ = best_.has_value() ? best_->decisions.order : nullptr;
    while (!evaluator_.is_done()) {
      Distributions distributions = First();
      while (SampleBatch(distributions)) {
      }
    }
  }

 private:
  [[nodiscard]] std::size_t BatchSize() const {
    const std::int64_t affordable =
        evaluator_.EvaluationsLeft(kUsualBatch * kUsualBatches) / kUsualBatches;
    return static_cast<std::size_t>(
        settings_.batch > 0 ? settings_.batch : std::clamp(affordable, kLeastBatch, kUsualBatch));
  }

  [[nodiscard]] Distributions First() const {
    Distributions distributions(problem_, settings_.num_levels);
    if (best_.has_value()) {
      distributions.MoveTowards(std::span(&best_->decisions, 1), StartShare());
    }
    return distributions;
  }

  // With more than kUsualGroups groups, so much that no more of them differ.
  [[nodiscard]] double StartShare() const {
    const double usual = static_cast<double>(env::kUsualGroups);
    const double scale = std::min(1.0, usual / static_cast<double>(NumGroups(problem_)));
    return 1.0 - (1.0 - settings_.start_share) * scale;
  }

  // False when the budget has ended, or when nothing new comes of the distributions.
  bool SampleBatch(Distributions& distributions) {
    std::vector<Decisions> sampled;
    for (std::size_t i = 0; i < batch_; ++i) {
      sampled.push_back(distributions.Sample(rng_));
      sampled.back().order = order_;
    }
    std::vector<Evaluated> batch = Evaluate(std::move(sampled));
    if (evaluator_.is_done()) {
      return false;
    }
    const bool is_one_plan = std::ranges::all_of(batch, [&](const Evaluated& evaluated) {
      return evaluated.decisions == batch.front().decisions;
    });
    if (is_one_plan) {
      return false;
    }
    distributions.MoveTowards(Elites(std::move(batch)), settings_.step);
    distributions.MixWithUniform(settings_.uniform_share);
    return true;
  }

  [[nodiscard]] std::vector<Decisions> Elites(std::vector<Evaluated> batch) const {
    const double share = settings_.elite_share * static_cast<double>(batch.size());
    const auto count = std::clamp<std::size_t>(static_cast<std::size_t>(std::llround(share)),
                                               std::min<std::size_t>(2, batch.size()),
                                               batch.size());
    std::ranges::stable_sort(batch, {}, &Evaluated::fitness);
    std::vector<Decisions> elites;
    for (std::size_t i = 0; i < count; ++i) {
      elites.push_back(std::move(batch[i].decisions));
    }
    return elites;
  }

  // Fewer than given only when the budget ended.
  std::vector<Evaluated> Evaluate(std::vector<Decisions> sampled) {
    const std::vector<env::Evaluation> evaluations = evaluator_.Evaluate(
        sampled.size(), [&](std::size_t i) { return ToPlan(problem_, sampled[i]); });
    std::vector<Evaluated> evaluated;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      evaluated.push_back(
          {.decisions = std::move(sampled[i]), .fitness = FitnessOf(evaluations[i])});
      if (!best_.has_value() || evaluated.back().fitness < best_->fitness) {
        best_ = evaluated.back();
      }
    }
    return evaluated;
  }

  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Rng& rng_;
  const CrossEntropySettings& settings_;
  std::size_t batch_;
  std::optional<Evaluated> best_;
  std::shared_ptr<const OpOrder> order_;  // of the best start, and so of all that is sampled
};

class CrossEntropy final : public LevelAgent {
 public:
  explicit CrossEntropy(const CrossEntropySettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    SearchLevels(problem,
                 evaluator,
                 rng,
                 context,
                 {.start = settings_.start,
                  .num_levels = settings_.num_levels,
                  .slice_share = settings_.slice,
                  .race_share = 0.0});
  }

  [[nodiscard]] SearchOneLevel OnLevels(const Levels& /*levels*/) const override {
    return [this](const env::Problem& view,
                  env::Evaluator& slice,
                  Rng& rng,
                  const SearchContext& context) {
      CrossEntropySearch(view, slice, rng, settings_)
          .Run(ToDecisions(view, *context.start, settings_.num_levels));
    };
  }

 private:
  CrossEntropySettings settings_;
};

}  // namespace

AgentEntry CrossEntropyEntry() {
  return MakeEntry<CrossEntropy>(
      {.name = "cross_entropy",
       .kind = AgentKind::kSearch,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "Gao, Chen and Li, NeurIPS 2018 (Post), its cross-entropy half",
       .summary = "Samples batches of plans from a distribution per group, and moves each towards "
                  "what the best of the batch chose.",
       .deviations = {"No steps of PPO between those of cross-entropy, and a table per group in "
                      "place of a network.",
                      "The first distributions lean towards the best of the rules' plans; "
                      "{start: random} leaves that out.",
                      "It goes from coarse groups to fine ones and back, each time from "
                      "distributions near the best plan."}},
      CrossEntropyOptions());
}

}  // namespace opyard::agents
