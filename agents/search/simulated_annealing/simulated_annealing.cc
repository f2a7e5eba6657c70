#include "agents/search/simulated_annealing/simulated_annealing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/random_decisions.h"
#include "agents/planning/level_agent.h"
#include "agents/planning/local_search/critical_path_guide.h"
#include "agents/planning/local_search/moves.h"
#include "agents/planning/local_search/neighbourhood_evaluator.h"
#include "agents/search/simulated_annealing/temperature.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kMostTrialMoves = 20;
constexpr double kShareOfTakeovers = 0.3;

struct SimulatedAnnealingSettings {
  double cooling = 0.9;
  double initial_temperature = 0.0;
  double initial_acceptance = 0.05;
  std::int64_t moves_per_temperature = 0;
  std::int64_t restarts = -1;
  std::int64_t num_levels = kDefaultLevels;
  std::int64_t longest_run = 0;
  double share_of_clusters = 0.6;
  double share_of_regions = 0.2;
  double share_of_swaps = 0.1;
  double share_of_reassignments = 0.3;
  double race_share = 0.3;
  std::int64_t critical_path_interval = kCriticalPathInterval;
  double slice = 0.05;
  Start start = Start::kHeuristics;
  bool is_incremental = true;
};

OptionTable<SimulatedAnnealingSettings> SimulatedAnnealingOptions() {
  return OptionTable<SimulatedAnnealingSettings>(
      {{.name = "cooling",
        .field = Real(&SimulatedAnnealingSettings::cooling, 0.01, 1.0),
        .meaning = "factor from one temperature to the next; a cycle has 100 temperatures"},
       {.name = "initial_temperature",
        .field = Real(&SimulatedAnnealingSettings::initial_temperature, 0.0, 1e6),
        .meaning = "in relative change of the score; 0: found from trial moves"},
       {.name = "initial_acceptance",
        .field = Real(&SimulatedAnnealingSettings::initial_acceptance, 1e-6, 0.999),
        .meaning =
            "probability with which the first temperature accepts the median worsening of trial "
            "moves"},
       {.name = "moves_per_temperature",
        .field = Whole(&SimulatedAnnealingSettings::moves_per_temperature, 0, 1'000'000'000),
        .meaning = "moves before it cools, in cycles that end at a ten-thousandth of the first "
                   "temperature; 0: cooling follows the budget"},
       {.name = "restarts",
        .field = Whole(&SimulatedAnnealingSettings::restarts, -1, 10'000),
        .meaning = "further cycles in the budget, each from the best state so far; -1: one for "
                   "every 50 evaluations a group, at most 19"},
       LevelsRow(&SimulatedAnnealingSettings::num_levels),
       {.name = "longest_run",
        .field = Whole(&SimulatedAnnealingSettings::longest_run, 0, 1'000'000),
        .meaning = "neighbouring groups that a move may change; 0: a quarter of all; 1: one at a "
                   "time",
        .paper = "1"},
       {.name = "clusters",
        .field = Real(&SimulatedAnnealingSettings::share_of_clusters, 0.0, 1.0),
        .meaning = "share of the device moves that take along what exchanges much with a group: a "
                   "part of a partition into 4, 8, 16, … by METIS",
        .paper = "0"},
       {.name = "regions",
        .field = Real(&SimulatedAnnealingSettings::share_of_regions, 0.0, 1.0),
        .meaning = "share of the device moves that take a connected region along, not a run in "
                   "topological order",
        .paper = "0"},
       {.name = "swaps",
        .field = Real(&SimulatedAnnealingSettings::share_of_swaps, 0.0, 1.0),
        .meaning = "share of the device moves in which two groups change places",
        .paper = "0"},
       {.name = "reassignments",
        .field = Real(&SimulatedAnnealingSettings::share_of_reassignments, 0.0, 1.0),
        .meaning = "how often, relative to all other device moves, a group goes to the other end "
                   "of a transfer on the critical path",
        .paper = "0"},
       {.name = "race",
        .field = Real(&SimulatedAnnealingSettings::race_share, 0.0, 0.9),
        .meaning = "share of the budget in which the eight best starts race to be annealed from; "
                   "later moves take over parts of what the others became; 0: neither",
        .paper = "0"},
       CriticalPathIntervalRow(&SimulatedAnnealingSettings::critical_path_interval),
       SliceRow(&SimulatedAnnealingSettings::slice),
       StartRow(&SimulatedAnnealingSettings::start),
       {.name = "incremental",
        .field = Flag(&SimulatedAnnealingSettings::is_incremental),
        .meaning =
            "whether a move is evaluated from where the step begins to differ, and given up once "
            "it is certain to be refused; plans are the same"}});
}

using State = NeighbourhoodEvaluator::State;

// One search.
class Annealer {
 public:
  Annealer(const env::Problem& problem,
           env::Evaluator& evaluator,
           Rng& rng,
           const SimulatedAnnealingSettings& settings,
           const SearchContext& context,
           std::shared_ptr<const std::vector<GroupPartition>> clusters)
      : problem_(problem),
        evaluator_(evaluator),
        rng_(rng),
        settings_(settings),
        moves_(problem,
               {.num_levels = settings.num_levels,
                .longest_run = LongestRun(),
                .share_of_clusters = settings.share_of_clusters,
                .share_of_regions = settings.share_of_regions,
                .share_of_swaps = settings.share_of_swaps,
                .share_of_reassignments = settings.share_of_reassignments,
                .share_of_takeovers = settings.race_share > 0.0 ? kShareOfTakeovers : 0.0,
                .device_affinity = context.device_affinity,
                .clusters = std::move(clusters)}),
        neighbourhood_(problem,
                       evaluator,
                       settings.is_incremental ? NeighbourEvaluation::kIncremental
                                               : NeighbourEvaluation::kWhole),
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
    current_ = best_;
    const double initial = InitialTemperature();
    Anneal(Cooling({.initial = initial,
                    .factor = settings_.cooling,
                    .moves_per_temperature = MovesPerTemperature(),
                    .num_cycles = NumCycles()},
                   evaluator_.UsedShare()));
  }

 private:
  [[nodiscard]] std::size_t LongestRun() const {
    return settings_.longest_run > 0 ? static_cast<std::size_t>(settings_.longest_run)
                                     : std::max<std::size_t>(1, NumGroups(problem_) / 4);
  }

  [[nodiscard]] std::int64_t MovesPerTemperature() const {
    const env::Budget& budget = evaluator_.options().budget;
    const bool has_limit = budget.evaluations.has_value() || budget.seconds.has_value();
    return settings_.moves_per_temperature > 0 || has_limit
               ? settings_.moves_per_temperature
               : static_cast<std::int64_t>(NumGroups(problem_));
  }

  // Small problems are searched often, large ones long.
  [[nodiscard]] std::int64_t NumCycles() const {
    const std::optional<std::int64_t>& evaluations = evaluator_.options().budget.evaluations;
    if (settings_.restarts >= 0) {
      return settings_.restarts + 1;
    }
    const auto num_groups = static_cast<std::int64_t>(NumGroups(problem_));
    return std::clamp<std::int64_t>(evaluations.value_or(0) / (50 * num_groups), 1, 20);
  }

  // Evaluates trial moves from the start, goes to the best of them if it is better, and returns the
  // temperature at which their median worsening has the initial acceptance.
  double InitialTemperature() {
    if (settings_.initial_temperature > 0.0) {
      return settings_.initial_temperature;
    }
    std::vector<Decisions> trials;
    for (std::int64_t i = evaluator_.EvaluationsLeft(kMostTrialMoves * 20) / 20; i > 0; --i) {
      trials.push_back(moves_.Neighbour(current_.decisions, rng_));
    }
    const State start = current_;
    std::vector<double> worsenings;
    for (State& trial : neighbourhood_.Evaluate(std::move(trials))) {
      const double change = RelativeChange(start.fitness, trial.fitness);
      if (change > 0.0 && std::isfinite(change)) {
        worsenings.push_back(change);
      }
      if (trial.fitness < current_.fitness) {
        GoTo(std::move(trial));
      }
    }
    return TemperatureFor(std::move(worsenings), settings_.initial_acceptance);
  }

  void Anneal(const Cooling& cooling) {
    std::int64_t cycle = 0;
    for (std::int64_t num_moves = 0; !evaluator_.is_done(); ++num_moves) {
      const Cooling::State now = cooling.At(num_moves, evaluator_.UsedShare());
      if (now.cycle != cycle) {
        cycle = now.cycle;
        current_ = best_;
      }
      Step(now.temperature);
    }
  }

  // The sample that decides on a worse neighbour comes first, so that its run can be given up as
  // soon as it is certain to be refused.
  void Step(double temperature) {
    guide_.BeforeMove(current_.plan, moves_);
    if (evaluator_.is_done()) {
      return;
    }
    Decisions next = moves_.Neighbour(current_.decisions, rng_);
    const double sample = rng_.Uniform();
    std::optional<State> state =
        neighbourhood_.EvaluateNeighbour(current_, std::move(next), Cutoff(sample, temperature));
    moves_.Learn(state.has_value() && state->fitness < current_.fitness);
    if (state.has_value() && IsAccepted(state->fitness, sample, temperature)) {
      GoTo(std::move(*state));
    }
  }

  // A score above which the neighbour is refused; nothing while any would do.
  [[nodiscard]] std::optional<double> Cutoff(double sample, double temperature) const {
    constexpr double kRounding = 1.0 + 1e-9;
    if (current_.fitness.is_infeasible || (temperature > 0.0 && sample == 0.0)) {
      return std::nullopt;
    }
    const double most_change = temperature > 0.0 ? -temperature * std::log(sample) : 0.0;
    return current_.fitness.value * (1.0 + most_change) * kRounding;
  }

  [[nodiscard]] bool IsAccepted(const Fitness& next, double sample, double temperature) const {
    const double change = RelativeChange(current_.fitness, next);
    return change <= 0.0 || (temperature > 0.0 && sample < std::exp(-change / temperature));
  }

  void GoTo(State state) {
    current_ = std::move(state);
    if (current_.fitness < best_.fitness) {
      best_ = current_;
    }
  }

  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Rng& rng_;
  const SimulatedAnnealingSettings& settings_;
  Moves moves_;
  NeighbourhoodEvaluator neighbourhood_;
  CriticalPathGuide guide_;
  State current_;
  State best_;
};

class SimulatedAnnealing final : public LevelAgent {
 public:
  explicit SimulatedAnnealing(const SimulatedAnnealingSettings& settings) : settings_(settings) {}

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
                  .race_share = settings_.race_share});
  }

  [[nodiscard]] SearchOneLevel OnLevels(const Levels& levels) const override {
    return [this, &levels](const env::Problem& view,
                           env::Evaluator& slice,
                           Rng& rng,
                           const SearchContext& context) {
      Annealer(view, slice, rng, settings_, context, levels.ClustersOf(view)).Run(*context.start);
    };
  }

 private:
  SimulatedAnnealingSettings settings_;
};

}  // namespace

AgentEntry SimulatedAnnealingEntry() {
  return MakeEntry<SimulatedAnnealing>(
      {.name = "simulated_annealing",
       .kind = AgentKind::kSearch,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "Kirkpatrick, Gelatt and Vecchi, Science 1983",
       .summary =
           "Random local changes of devices and priorities, accepted less and less often when "
           "they make the plan worse.",
       .deviations =
           {"A move changes the device or the priority of one group, of a run of neighbouring "
            "ones, or of a connected region, or swaps the devices of two, or moves a group to the "
            "other end of a critical transfer, or takes a part of another start's plan over.",
            "Kinds and lengths of moves are sampled by how often they have made the plan better, "
            "and "
            "so is "
            "whether a move begins on the critical path.",
            "Worse means the relative change of the score, so that temperatures mean the "
            "same on every problem.",
            "The temperature follows the share of the budget that is used, and starts from "
            "the median worsening of trial moves.",
            "The search begins at the one of the rules' eight best plans that wins a race, and "
            "goes "
            "from coarse groups to fine ones and back, cooling again each time."}},
      SimulatedAnnealingOptions());
}

}  // namespace opyard::agents
