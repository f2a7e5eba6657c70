#include "agents/search/local_search/local_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/random_decisions.h"
#include "agents/planning/level_agent.h"
#include "agents/planning/local_search/critical_path_guide.h"
#include "agents/planning/local_search/moves.h"
#include "agents/planning/local_search/neighbourhood_evaluator.h"
#include "agents/search/local_search/single_changes.h"

namespace opyard::agents {
namespace {

enum class Restart : std::uint8_t { kKick, kRandom };

struct LocalSearchSettings {
  bool faithful = false;
  std::int64_t patience = 0;
  Restart restart = Restart::kKick;
  std::int64_t kick = 4;
  std::int64_t num_levels = kDefaultLevels;
  std::int64_t critical_path_interval = kCriticalPathInterval;
  double slice = 0.05;
  Start start = Start::kHeuristics;
};

OptionTable<LocalSearchSettings> LocalSearchOptions() {
  return OptionTable<LocalSearchSettings>(
      {{.name = "faithful",
        .field = Flag(&LocalSearchSettings::faithful),
        .meaning = "whether the best of all plans that differ in one group is taken, from random "
                   "starts, instead of any that is no worse; the other options but levels then do "
                   "nothing",
        .paper = "true"},
       {.name = "patience",
        .field = Whole(&LocalSearchSettings::patience, 0, 1'000'000'000),
        .meaning = "moves without a better plan before it begins again; 0: eight times the groups, "
                   "from 100 to 2,000"},
       {.name = "restart",
        .field = Word(&LocalSearchSettings::restart,
                      {{"kick", Restart::kKick}, {"random", Restart::kRandom}}),
        .meaning = "where it begins again: at the best plan after some random moves, or at a "
                   "random plan",
        .paper = "random"},
       {.name = "kick",
        .field = Whole(&LocalSearchSettings::kick, 1, 1'000'000),
        .meaning = "random moves from the best plan at which it begins again"},
       LevelsRow(&LocalSearchSettings::num_levels),
       CriticalPathIntervalRow(&LocalSearchSettings::critical_path_interval),
       SliceRow(&LocalSearchSettings::slice),
       StartRow(&LocalSearchSettings::start)});
}

// One search that takes any move that is no worse.
class Climber {
 public:
  using State = NeighbourhoodEvaluator::State;

  Climber(const env::Problem& problem,
          env::Evaluator& evaluator,
          Rng& rng,
          const LocalSearchSettings& settings,
          const SearchContext& context,
          std::shared_ptr<const std::vector<GroupPartition>> clusters)
      : problem_(problem),
        evaluator_(evaluator),
        rng_(rng),
        settings_(settings),
        moves_(problem,
               {.num_levels = settings.num_levels,
                .longest_run = std::max<std::size_t>(1, NumGroups(problem) / 4),
                .share_of_clusters = 0.6,
                .share_of_regions = 0.2,
                .share_of_swaps = 0.1,
                .share_of_reassignments = 0.3,
                .share_of_takeovers = 0.3,
                .device_affinity = context.device_affinity,
                .clusters = std::move(clusters)}),
        neighbourhood_(problem, evaluator, NeighbourEvaluation::kIncremental),
        guide_(problem, evaluator, settings.critical_path_interval) {
    moves_.SetElites(ElitesOn(problem, context));
  }

  void Run(const sim::Plan& start) {
    std::vector<State> starts =
        neighbourhood_.Evaluate({ToDecisions(problem_, start, settings_.num_levels)});
    if (starts.empty()) {
      return;
    }
    best_ = std::move(starts.front());
    std::optional<State> from = best_;
    while (from.has_value()) {
      Climb(std::move(*from));
      from = BeginAgain();
    }
  }

 private:
  void Climb(State state) {
    std::int64_t num_idle = 0;
    while (num_idle < Patience() && !evaluator_.is_done()) {
      guide_.BeforeMove(state.plan, moves_);
      std::optional<State> step = neighbourhood_.EvaluateNeighbour(
          state, moves_.Neighbour(state.decisions, rng_), Cutoff(state));
      ++num_idle;
      moves_.Learn(step.has_value() && step->fitness < state.fitness);
      if (!step.has_value() || step->fitness > state.fitness) {
        continue;
      }
      num_idle = step->fitness < state.fitness ? 0 : num_idle;
      state = std::move(*step);
    }
    if (state.fitness < best_.fitness) {
      best_ = std::move(state);
    }
  }

  // Nothing once the budget has ended.
  std::optional<State> BeginAgain() {
    Decisions next = best_.decisions;
    if (settings_.restart == Restart::kRandom) {
      next = RandomDecisions(problem_, settings_.num_levels, rng_);
    } else {
      for (std::int64_t i = 0; i < settings_.kick; ++i) {
        next = moves_.Neighbour(next, rng_);
      }
    }
    std::vector<State> states = neighbourhood_.Evaluate({std::move(next)});
    return states.empty() ? std::nullopt : std::optional(std::move(states.front()));
  }

  [[nodiscard]] std::int64_t Patience() const {
    return settings_.patience > 0
               ? settings_.patience
               : std::clamp<std::int64_t>(
                     8 * static_cast<std::int64_t>(NumGroups(problem_)), 100, 2'000);
  }

  static std::optional<double> Cutoff(const State& state) {
    constexpr double kRounding = 1.0 + 1e-9;
    return state.fitness.is_infeasible ? std::nullopt
                                       : std::optional(state.fitness.value * kRounding);
  }

  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Rng& rng_;
  const LocalSearchSettings& settings_;
  Moves moves_;
  NeighbourhoodEvaluator neighbourhood_;
  CriticalPathGuide guide_;
  State best_;
};

// The published search.
class SteepestDescent {
 public:
  SteepestDescent(const env::Problem& problem,
                  env::Evaluator& evaluator,
                  Rng& rng,
                  std::int64_t num_levels)
      : problem_(problem),
        evaluator_(evaluator),
        rng_(rng),
        num_levels_(num_levels),
        changes_(problem, num_levels) {}

  void Run(std::optional<Decisions> start) {
    while (!evaluator_.is_done()) {
      Decisions from =
          start.has_value() ? std::move(*start) : RandomDecisions(problem_, num_levels_, rng_);
      start.reset();
      const std::optional<env::Evaluation> evaluated = evaluator_.Evaluate(ToPlan(problem_, from));
      if (evaluated.has_value()) {
        Descend(std::move(from), FitnessOf(*evaluated));
      }
    }
  }

 private:
  void Descend(Decisions state, Fitness fitness) {
    while (true) {
      const std::vector<env::Evaluation> around = evaluator_.Evaluate(
          changes_.size(),
          [&](std::size_t index) { return ToPlan(problem_, changes_.Make(state, index)); });
      const auto best = std::ranges::min_element(around, {}, FitnessOf);
      if (best == around.end() || FitnessOf(*best) >= fitness) {
        return;
      }
      state = changes_.Make(state, static_cast<std::size_t>(best - around.begin()));
      fitness = FitnessOf(*best);
    }
  }

  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Rng& rng_;
  std::int64_t num_levels_;
  SingleChanges changes_;
};

class LocalSearch final : public LevelAgent {
 public:
  explicit LocalSearch(const LocalSearchSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    if (settings_.faithful && !HasOnePlan(problem)) {
      std::optional<Decisions> start;
      if (context.start.has_value()) {
        start = ToDecisions(problem, *context.start, settings_.num_levels);
      }
      SteepestDescent(problem, evaluator, rng, settings_.num_levels).Run(std::move(start));
    } else {
      SearchLevels(problem,
                   evaluator,
                   rng,
                   context,
                   {.start = settings_.start,
                    .num_levels = settings_.num_levels,
                    .slice_share = settings_.slice});
    }
  }

  [[nodiscard]] SearchOneLevel OnLevels(const Levels& levels) const override {
    return [this, &levels](const env::Problem& view,
                           env::Evaluator& slice,
                           Rng& rng,
                           const SearchContext& context) {
      Climber(view, slice, rng, settings_, context, levels.ClustersOf(view)).Run(*context.start);
    };
  }

 private:
  LocalSearchSettings settings_;
};

}  // namespace

AgentEntry LocalSearchEntry() {
  AgentEntry entry = MakeEntry<LocalSearch>(
      {.name = "local_search",
       .kind = AgentKind::kSearch,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "Paliwal et al., ICLR 2020 (a baseline of REGAL)",
       .summary =
           "Hill climbing: random moves that make the plan no worse are taken, and it begins "
           "again where none has helped for long.",
       .deviations =
           {"The paper gives no settings. Unless faithful, it begins at the rules' plans, "
            "goes on from the one of eight that wins a race, moves regions, swaps devices, takes "
            "parts of the others over and moves groups to the other end of critical transfers as "
            "well as single groups, samples kinds of moves by what they have come to, begins many "
            "of them on the critical path, takes the first move that is no worse, begins again "
            "near the best plan, and goes from coarse groups to fine ones and back."}},
      LocalSearchOptions());
  entry.start_of = [](Options& options) {
    const LocalSearchSettings settings = LocalSearchOptions().Read(options);
    return StartWords().NameOf(settings.faithful ? Start::kRandom : settings.start);
  };
  return entry;
}

}  // namespace opyard::agents
