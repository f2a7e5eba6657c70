#include "agents/search/list_search/list_search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/encoding/random_decisions.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/search/list_search/list_plans.h"
#include "env/action_codec.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

struct ListSearchSettings {
  double most_changed = 0.3;
  double share_of_ways = 0.05;
  std::int64_t most_justifications = 5;
  MemoryRule memory_rule = MemoryRule::kAuto;
  Start start = Start::kHeuristics;
};

OptionTable<ListSearchSettings> ListSearchOptions() {
  return OptionTable<ListSearchSettings>(
      {{.name = "most_changed",
        .field = Real(&ListSearchSettings::most_changed, 0.0, 1.0),
        .meaning = "share of the ops that a move may give random keys; how many do is log-uniform "
                   "from one to that"},
       {.name = "ways",
        .field = Real(&ListSearchSettings::share_of_ways, 0.0, 1.0),
        .meaning = "share of the moves that change the devices considered, whether transfers wait "
                   "for channels, or whether gaps are filled"},
       {.name = "justifications",
        .field = Whole(&ListSearchSettings::most_justifications, 0, 100),
        .meaning = "how often at most a schedule is shifted right and left again, as long as that "
                   "makes it shorter, before it is evaluated",
        .paper = "0"},
       MemoryRuleRow(&ListSearchSettings::memory_rule),
       {.name = "start",
        .field = Word(&ListSearchSettings::start,
                      {{"rules", Start::kHeuristics}, {"random", Start::kRandom}}),
        .meaning = "each device alone and the lists of heft and critical_path (rules), or a random "
                   "list (random); whatever the list, ops go where list scheduling places them",
        .paper = "random"}});
}

// In [0, 1), in the order of `keys`.
std::vector<double> ToUnit(std::span<const double> keys) {
  std::vector<double> unit;
  for (const std::int64_t rank : env::RanksOf(keys)) {
    unit.push_back(static_cast<double>(rank) / static_cast<double>(keys.size()));
  }
  return unit;
}

// One search.
class ListClimber {
 public:
  ListClimber(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const ListSearchSettings& settings,
              const std::optional<Decisions>& given)
      : problem_(problem),
        evaluator_(evaluator),
        rng_(rng),
        settings_(settings),
        fusion_of_group_(given.has_value() ? given->fusion_of_group : std::vector<std::int32_t>()) {
  }

  void Run(const std::optional<Decisions>& given) {
    EvaluateFirst(given);
    const std::vector<std::vector<double>> keys = FirstKeys(given);
    TryWithMemoryRule(
        settings_.memory_rule, problem_, evaluator_, [&](std::optional<double> memory_share) {
          plans_.emplace(problem_, fusion_of_group_, memory_share, settings_.most_justifications);
          best_.reset();
          TryAllWays(keys);
          return best_.has_value() && !best_->fitness.is_infeasible;
        });
    while (best_.has_value() && !evaluator_.is_done()) {
      Take(Neighbour());
    }
  }

 private:
  struct State {
    std::vector<double> keys;  // [num_ops], in [0, 1)
    std::size_t way = 0;
    Fitness fitness;
  };

  // The start as it is; else, unless it begins at random, each device alone.
  void EvaluateFirst(const std::optional<Decisions>& given) {
    if (given.has_value()) {
      evaluator_.Evaluate(ToPlan(problem_, *given));
      return;
    }
    if (settings_.start == Start::kRandom) {
      return;
    }
    for (const env::GroupPlacement& placement : SingleDevicePlacements(problem_)) {
      evaluator_.Evaluate(ToPlan(problem_, {.device_of_group = placement}));
    }
  }

  [[nodiscard]] std::vector<std::vector<double>> FirstKeys(const std::optional<Decisions>& given) {
    if (!given.has_value() && settings_.start == Start::kRandom) {
      return {RandomKeys()};
    }
    const std::vector<DeviceId> devices = MainDevices(problem_);
    std::vector<std::vector<double>> keys;
    if (given.has_value() && given->order != nullptr) {
      const std::vector<std::int64_t> priorities = ToPlan(problem_, *given).op_priority;
      keys.push_back(ToUnit(std::vector<double>(priorities.begin(), priorities.end())));
    }
    keys.push_back(ToUnit(UpwardRanks(problem_, TransferTimes(problem_), devices)));
    keys.push_back(ToUnit(MeanPathsToSink(problem_, devices)));
    return keys;
  }

  std::vector<double> RandomKeys() {
    std::vector<double> keys(problem_.graph().num_ops());
    std::ranges::generate(keys, [&] { return rng_.Uniform(); });
    return keys;
  }

  void TryAllWays(const std::vector<std::vector<double>>& keys) {
    for (std::size_t way = 0; way < plans_->num_ways(); ++way) {
      for (const std::vector<double>& first : keys) {
        if (!evaluator_.is_done()) {
          Take({.keys = first, .way = way});
        }
      }
    }
  }

  State Neighbour() {
    State next = *best_;
    if (plans_->num_ways() > 1 && rng_.Uniform() < settings_.share_of_ways) {
      next.way = (next.way + 1 + rng_.Below(plans_->num_ways() - 1)) % plans_->num_ways();
      return next;
    }
    for (std::size_t i = SampleCount(); i > 0; --i) {
      next.keys[rng_.Below(next.keys.size())] = rng_.Uniform();
    }
    return next;
  }

  // Log-uniform from 1 to the most.
  std::size_t SampleCount() {
    const double most =
        std::max(1.0, settings_.most_changed * static_cast<double>(problem_.graph().num_ops()));
    return static_cast<std::size_t>(std::pow(most, rng_.Uniform()));
  }

  // Goes to `next` unless it is worse.
  void Take(State next) {
    const std::optional<env::Evaluation> evaluated =
        evaluator_.Evaluate(plans_->Make(next.keys, next.way));
    if (!evaluated.has_value()) {
      return;
    }
    next.fitness = FitnessOf(*evaluated);
    if (!best_.has_value() || next.fitness <= best_->fitness) {
      best_ = std::move(next);
    }
  }

  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Rng& rng_;
  const ListSearchSettings& settings_;
  std::vector<std::int32_t> fusion_of_group_;
  std::optional<ListPlans> plans_;  // once the search has begun
  std::optional<State> best_;
};

class ListSearch final : public Agent {
 public:
  explicit ListSearch(const ListSearchSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(ToPlan(problem, RandomDecisions(problem, kDefaultLevels, rng)));
      return;
    }
    const std::optional<Decisions> start = ToDecisions(problem, context.start);
    ListClimber(problem, evaluator, rng, settings_, start).Run(start);
  }

 private:
  ListSearchSettings settings_;
};

}  // namespace

AgentEntry ListSearchEntry() {
  return MakeEntry<ListSearch>(
      {.name = "list_search",
       .kind = AgentKind::kSearch,
       .tasks = {"placement", "scheduling"},
       .paper = "Kolisch and Hartmann, Heuristic algorithms for the resource-constrained project "
                "scheduling problem, 1999",
       .summary = "Local search over the order in which list scheduling places the ops.",
       .deviations =
           {"The paper's lists are those of project scheduling; here list scheduling also "
            "finds devices, as in heft, and the simulator evaluates the plan.",
            "It begins at the lists of heft and critical_path, after each device alone; {start: "
            "random} at a random one."}},
      ListSearchOptions());
}

}  // namespace opyard::agents
