#include "agents/search/simulated_annealing/simulated_annealing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/common_options.h"
#include "agents/planning/random_decisions.h"
#include "agents/planning/simple_plans.h"
#include "agents/search/simulated_annealing/moves.h"
#include "agents/search/simulated_annealing/temperature.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kMostTrialMoves = 20;
constexpr double kTemperatureWithoutWorsening = 0.01;

struct Settings {
  double cooling = 0.9;
  double initial_temperature = 0.0;
  double initial_acceptance = 0.2;
  std::int64_t moves_per_temperature = 0;
  std::int64_t restarts = 0;
  std::int64_t num_levels = kDefaultLevels;
  std::int64_t longest_run = 0;
  Start start = Start::kSimple;
  bool is_incremental = true;
};

OptionTable<Settings> SimulatedAnnealingOptions() {
  return OptionTable<Settings>(
      {{.name = "cooling",
        .field = Real(&Settings::cooling, 0.01, 1.0),
        .meaning = "factor from one temperature to the next; a cycle has 100 temperatures"},
       {.name = "initial_temperature",
        .field = Real(&Settings::initial_temperature, 0.0, 1e6),
        .meaning = "in relative change of the score; 0: found from trial moves"},
       {.name = "initial_acceptance",
        .field = Real(&Settings::initial_acceptance, 1e-6, 0.999),
        .meaning =
            "probability with which the first temperature accepts a mean worsening, where it "
            "is found from trial moves"},
       {.name = "moves_per_temperature",
        .field = Whole(&Settings::moves_per_temperature, 0, 1'000'000'000),
        .meaning = "moves before it cools, in cycles that end at a ten-thousandth of the first "
                   "temperature; 0: cooling follows the budget"},
       {.name = "restarts",
        .field = Whole(&Settings::restarts, 0, 10'000),
        .meaning = "further cycles in the budget, each from the best state so far"},
       LevelsRow(&Settings::num_levels),
       {.name = "longest_run",
        .field = Whole(&Settings::longest_run, 0, 1'000'000),
        .meaning = "neighbouring groups that a move may change; 0: a quarter of all; 1: one at a "
                   "time",
        .paper = "1"},
       StartRow(&Settings::start),
       {.name = "incremental",
        .field = Flag(&Settings::is_incremental),
        .meaning =
            "whether a move is judged from where the step begins to differ, and given up once "
            "it is certain to be refused; plans are the same"}});
}

struct State {
  Decisions decisions;
  sim::Plan plan;  // of `decisions`
  Fitness fitness;
};

// One search.
class Annealer {
 public:
  Annealer(const env::Problem& problem,
           env::Evaluator& evaluator,
           Rng& rng,
           const Settings& settings)
      : problem_(problem),
        evaluator_(evaluator),
        rng_(rng),
        settings_(settings),
        moves_(problem, {.num_levels = settings.num_levels, .longest_run = LongestRun()}),
        ops_of_group_(OpsOfGroups(problem)) {}

  void Run(const std::optional<Decisions>& given) {
    std::vector<State> starts = Judge(given.has_value() ? std::vector{OnLevels(*given)} : Starts());
    if (starts.empty()) {
      return;
    }
    best_ = *std::ranges::min_element(starts, {}, &State::fitness);
    current_ = best_;
    const double initial = InitialTemperature();
    Anneal(Cooling({.initial = initial,
                    .factor = settings_.cooling,
                    .moves_per_temperature = MovesPerTemperature(),
                    .num_cycles = settings_.restarts + 1},
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

  // Moves draw priorities from the levels: those of the start must compare with them.
  [[nodiscard]] Decisions OnLevels(Decisions start) const {
    start.priority_of_group = ToLevels(start.priority_of_group, settings_.num_levels);
    return start;
  }

  std::vector<Decisions> Starts() {
    return settings_.start == Start::kSimple
               ? SimpleStarts(problem_, settings_.num_levels)
               : std::vector{RandomDecisions(problem_, settings_.num_levels, rng_)};
  }

  // The states in one batch; fewer than given only when the budget ended.
  std::vector<State> Judge(std::vector<Decisions> decisions) {
    std::vector<sim::Plan> plans;
    for (const Decisions& d : decisions) {
      plans.push_back(ToPlan(problem_, d));
    }
    const std::vector<env::Evaluation> evaluations = evaluator_.Evaluate(plans);
    std::vector<State> states;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      states.push_back({.decisions = std::move(decisions[i]),
                        .plan = std::move(plans[i]),
                        .fitness = FitnessOf(evaluations[i])});
    }
    return states;
  }

  // Judges trial moves from the start, goes to the best of them if it is better, and returns the
  // temperature at which their mean worsening has the initial acceptance.
  double InitialTemperature() {
    if (settings_.initial_temperature > 0.0) {
      return settings_.initial_temperature;
    }
    std::vector<Decisions> trials;
    for (std::int64_t i = evaluator_.EvaluationsLeft(kMostTrialMoves * 20) / 20; i > 0; --i) {
      trials.push_back(moves_.Neighbour(current_.decisions, rng_));
    }
    const State start = current_;
    double sum = 0.0;
    int count = 0;
    for (State& trial : Judge(std::move(trials))) {
      const double change = RelativeChange(start.fitness, trial.fitness);
      if (change > 0.0 && std::isfinite(change)) {
        sum += change;
        ++count;
      }
      if (trial.fitness < current_.fitness) {
        GoTo(std::move(trial));
      }
    }
    return count == 0 ? kTemperatureWithoutWorsening
                      : sum / count / -std::log(settings_.initial_acceptance);
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

  // The draw that decides on a worse neighbour comes first, so that its run can be given up as soon
  // as it is certain to be refused.
  void Step(double temperature) {
    Decisions next = moves_.Neighbour(current_.decisions, rng_);
    const double draw = rng_.Uniform();
    if (next.fusion_of_group != current_.decisions.fusion_of_group) {
      StepWholePlan(std::move(next), draw, temperature);
      return;
    }
    const env::Move move = MoveTo(next);
    std::optional<env::Evaluation> evaluation = JudgeStep(move, draw, temperature);
    if (!evaluation.has_value() || evaluation->is_cut_off()) {
      return;
    }
    const Fitness fitness = FitnessOf(*evaluation);
    if (IsAccepted(fitness, draw, temperature)) {
      sim::Apply(move, current_.plan);
      GoTo({.decisions = std::move(next), .plan = current_.plan, .fitness = fitness});
    }
  }

  // Other fusion priorities may change any kernel: no change of ops tells that.
  void StepWholePlan(Decisions next, double draw, double temperature) {
    for (State& state : Judge({std::move(next)})) {
      if (IsAccepted(state.fitness, draw, temperature)) {
        GoTo(std::move(state));
      }
    }
  }

  // From the current plan.
  [[nodiscard]] env::Move MoveTo(const Decisions& next) const {
    const Decisions& from = current_.decisions;
    env::Move move;
    for (std::size_t group = 0; group < ops_of_group_.size(); ++group) {
      const bool moves = !next.device_of_group.empty() &&
                         next.device_of_group[group] != from.device_of_group[group];
      const bool reorders = !next.priority_of_group.empty() &&
                            next.priority_of_group[group] != from.priority_of_group[group];
      if (!moves && !reorders) {
        continue;
      }
      for (const OpId op : ops_of_group_[group]) {
        move.push_back(
            {.op = op,
             .device = moves ? next.device_of_group[group] : current_.plan.placement[op.index()],
             .priority = reorders ? next.priority_of_group[group] : PriorityOf(op)});
      }
    }
    return move;
  }

  // In the current plan.
  [[nodiscard]] std::int64_t PriorityOf(OpId op) const {
    const std::vector<std::int64_t>& priorities = current_.plan.op_priority;
    return priorities.empty() ? 0 : priorities[op.index()];
  }

  std::optional<env::Evaluation> JudgeStep(const env::Move& move, double draw, double temperature) {
    if (!settings_.is_incremental) {
      sim::Plan plan = current_.plan;
      sim::Apply(move, plan);
      return evaluator_.Evaluate(plan);
    }
    const std::vector<env::Evaluation> evaluations = evaluator_.EvaluateNeighbours(
        current_.plan, std::span(&move, 1), Cutoff(draw, temperature));
    return evaluations.empty() ? std::nullopt : std::optional(evaluations.front());
  }

  // A score above which the neighbour is refused; nothing while any would do.
  [[nodiscard]] std::optional<double> Cutoff(double draw, double temperature) const {
    constexpr double kRounding = 1.0 + 1e-9;
    if (current_.fitness.is_infeasible || (temperature > 0.0 && draw == 0.0)) {
      return std::nullopt;
    }
    const double most_change = temperature > 0.0 ? -temperature * std::log(draw) : 0.0;
    return current_.fitness.value * (1.0 + most_change) * kRounding;
  }

  [[nodiscard]] bool IsAccepted(const Fitness& next, double draw, double temperature) const {
    const double change = RelativeChange(current_.fitness, next);
    return change <= 0.0 || (temperature > 0.0 && draw < std::exp(-change / temperature));
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
  const Settings& settings_;
  Moves moves_;
  std::vector<std::vector<OpId>> ops_of_group_;
  State current_;
  State best_;
};

class SimulatedAnnealing final : public Agent {
 public:
  explicit SimulatedAnnealing(const Settings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(ToPlan(problem, RandomDecisions(problem, settings_.num_levels, rng)));
      return;
    }
    Annealer(problem, evaluator, rng, settings_).Run(context.start);
  }

 private:
  Settings settings_;
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
           {"A move changes the device or the priority of one group or of a run of "
            "neighbouring ones.",
            "Worse means the relative change of the score, so that temperatures mean the "
            "same on every problem.",
            "The temperature follows the share of the budget that is used, and starts from "
            "the mean worsening of trial moves.",
            "The search begins at the best of the plans that need no search."}},
      SimulatedAnnealingOptions());
}

}  // namespace opyard::agents
