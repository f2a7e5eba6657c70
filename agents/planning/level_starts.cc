#include "agents/planning/level_starts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/partitioning/metis_tries.h"

namespace opyard::agents {
namespace {

constexpr std::size_t kNumWithEqualPriorities = 3;
constexpr std::int64_t kEvaluationsWithoutLimit = 1'000;  // where they have no limit
constexpr std::int64_t kMostEvaluations = 1'000'000;
constexpr std::int64_t kEvaluationsPerPartition = 20;
constexpr std::int64_t kMostPartitions = 1'000;
constexpr std::int64_t kMostGroupsPartitioned = 1'048'576;  // of all tries: some seconds of METIS

// The evaluations that the budget leaves.
std::int64_t EvaluationsLeft(const env::Evaluator& evaluator) {
  return evaluator.EvaluationsLeft(evaluator.options().budget.evaluations.has_value()
                                       ? kMostEvaluations
                                       : kEvaluationsWithoutLimit);
}

class Starts {
 public:
  Starts(const Levels& levels,
         env::Evaluator& evaluator,
         const LevelStartOptions& options,
         Rng& rng)
      : evaluator_(evaluator),
        options_(options),
        rng_(rng),
        evaluations_(options.evaluations.value_or(EvaluationsLeft(evaluator))),
        left_(std::max<std::int64_t>(
            1, static_cast<std::int64_t>(options.most * static_cast<double>(evaluations_)))) {
    for (std::size_t level = 0; level < levels.size(); ++level) {
      views_.push_back(levels.View(level));
    }
  }

  std::vector<EvaluatedPlan> Run() {
    const env::Problem& finest = *views_.back();
    (void)Evaluate(finest, SinglesAndSplits(finest));
    if (finest.tasks().placement && MainDevices(finest).size() > 1) {
      EvaluateLevels();
    }
    EvaluateEqualPriorities();
    return std::move(best_);
  }

  // The same of given plans.
  std::vector<EvaluatedPlan> RunPlans(const env::Problem& problem,
                                      const std::vector<Decisions>& starts) {
    std::vector<sim::Plan> plans;
    for (const Decisions& start : starts) {
      plans.push_back(ToPlan(problem, start));
    }
    (void)EvaluatePlans(std::move(plans));
    return std::move(best_);
  }

 private:
  using Placements = std::vector<env::GroupPlacement>;

  // The best of one kind of placements on a level.
  struct LevelResult {
    std::size_t level = 0;
    Fitness fitness;
  };

  static Placements SinglesAndSplits(const env::Problem& problem) {
    Placements placements = DifferentSingleDevicePlacements(problem);
    for (const std::vector<DeviceId>& devices : DeviceSets(problem)) {
      if (problem.tasks().placement) {
        AddUnlessPresent(ContiguousSplit(problem, devices.size()), placements);
      }
    }
    return placements;
  }

  // Each kind on each level, then more of the kind that had the best plan, then of the other.
  void EvaluateLevels() {
    const std::vector<LevelResult> parts = Partitions();
    const std::vector<LevelResult> lists = OnLevels([&](const env::Problem& view) {
      return EvaluateListSchedules(view, ListScheduleViews::kFirst);
    });
    const bool are_lists_best =
        !lists.empty() && (parts.empty() || lists[0].fitness < parts[0].fitness);
    if (are_lists_best) {
      EvaluateFurtherSchedules(lists);
    }
    EvaluateFurtherPartitions(parts);
    if (!are_lists_best) {
      EvaluateFurtherSchedules(lists);
    }
  }

  // Without limits of memory until no partition of a level completes, then within the first of
  // kMemoryShares under which one does.
  std::vector<LevelResult> Partitions() {
    const auto num_sets = std::ssize(DeviceSets(*views_.back()));
    std::size_t next_share = 0;
    bool has_completed = false;
    return OnLevels([&](const env::Problem& view) {
      std::optional<Fitness> fitness = EvaluateNewPartitions(view, num_sets);
      while (!has_completed && fitness.has_value() && fitness->is_infeasible &&
             next_share < std::size(kMemoryShares)) {
        memory_share_ = kMemoryShares[next_share++];
        fitness = EvaluateNewPartitions(view, num_sets);
      }
      has_completed = has_completed || (fitness.has_value() && !fitness->is_infeasible);
      return fitness;
    });
  }

  std::optional<Fitness> EvaluateNewPartitions(const env::Problem& view, std::int64_t count) {
    const auto [made, is_new] = partitions_.insert_or_assign(
        &view, std::make_unique<MetisPlacements>(view, MetisTries{.memory_share = memory_share_}));
    return EvaluatePartitions(view, count, *made->second);
  }

  // Successive halving (Jamieson and Talwalkar, AISTATS 2016): those of all levels were the first
  // round; in each further one the better half of the levels has as many in all, until one is left.
  void EvaluateFurtherPartitions(std::vector<LevelResult> levels) {
    int rounds = NumHalvings(levels.size());
    for (; rounds > 0 && !levels.empty(); --rounds) {
      std::ranges::stable_sort(levels, {}, &LevelResult::fitness);
      levels.resize((levels.size() + 1) / 2);
      const std::int64_t count = (Tries() - num_partitions_) / (rounds * std::ssize(levels));
      for (LevelResult& result : levels) {
        const env::Problem& view = *views_[result.level];
        const std::optional<Fitness> found =
            EvaluatePartitions(view, std::min(count, MostTries(view)), *partitions_.at(&view));
        result.fitness = std::min(result.fitness, found.value_or(result.fitness));
      }
    }
  }

  // Halvings, rounded up, until one is left; at least 1.
  static int NumHalvings(std::size_t count) {
    return std::max(1, static_cast<int>(std::bit_width(std::max<std::size_t>(1, count) - 1)));
  }

  void EvaluateFurtherSchedules(const std::vector<LevelResult>& levels) {
    if (!levels.empty()) {
      (void)EvaluateListSchedules(*views_[levels[0].level], ListScheduleViews::kAll);
    }
  }

  std::optional<Fitness> EvaluatePartitions(const env::Problem& view,
                                            std::int64_t count,
                                            MetisPlacements& made) {
    Placements placements;
    for (std::int64_t i = 0; i < std::min(count, left_) && !evaluator_.is_done(); ++i) {
      placements.push_back(made.Next(rng_));
    }
    num_partitions_ += std::ssize(placements);
    return Evaluate(view, placements);
  }

  std::optional<Fitness> EvaluateListSchedules(const env::Problem& view,
                                               ListScheduleViews schedules) {
    return IsOver() ? std::nullopt
                    : Evaluate(view, ListSchedulePlacements(view, schedules, memory_share_));
  }

  [[nodiscard]] bool IsOver() const { return left_ <= 0 || evaluator_.is_done(); }

  // The partitions in all.
  [[nodiscard]] std::int64_t Tries() const {
    return std::min(evaluations_ / kEvaluationsPerPartition, kMostPartitions);
  }

  // The partitions of one view, few enough to take seconds.
  static std::int64_t MostTries(const env::Problem& view) {
    return kMostGroupsPartitioned / static_cast<std::int64_t>(NumGroups(view));
  }

  // The results of `evaluate` on each level, the best first; levels without evaluations are left
  // out.
  template <class EvaluateView>
  std::vector<LevelResult> OnLevels(const EvaluateView& evaluate) {
    std::vector<LevelResult> results;
    for (std::size_t level = 0; level < views_.size(); ++level) {
      const std::optional<Fitness> fitness = evaluate(*views_[level]);
      if (fitness.has_value()) {
        results.push_back({.level = level, .fitness = *fitness});
      }
    }
    std::ranges::stable_sort(results, {}, &LevelResult::fitness);
    return results;
  }

  void EvaluateEqualPriorities() {
    if (!views_.back()->tasks().scheduling) {
      return;
    }
    std::vector<sim::Plan> plans;
    for (std::size_t i = 0; i < std::min(best_.size(), kNumWithEqualPriorities); ++i) {
      plans.push_back(best_[i].plan);
      std::ranges::fill(plans.back().op_priority, options_.num_levels / 2);
    }
    const std::vector<env::Evaluation> evaluations = evaluator_.Evaluate(plans);
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      Keep({.plan = std::move(plans[i]), .fitness = FitnessOf(evaluations[i])});
    }
  }

  // The best fitness of those that were not evaluated before; nothing if there are none.
  std::optional<Fitness> Evaluate(const env::Problem& view, Placements placements) {
    std::vector<sim::Plan> plans;
    const std::size_t num_orders = view.tasks().scheduling ? 2 : 1;
    const std::vector<Decisions> decisions =
        InitialPlansOfPlacements(view, placements, options_.num_levels);
    for (std::size_t i = 0; i < decisions.size(); i += num_orders) {
      sim::Plan plan = ToPlan(view, decisions[i]);
      if (std::ssize(plans) < left_ && std::ranges::find(seen_, plan.placement) == seen_.end()) {
        seen_.push_back(plan.placement);
        plans.push_back(std::move(plan));
      }
    }
    left_ -= std::ssize(plans);
    return EvaluatePlans(std::move(plans));
  }

  std::optional<Fitness> EvaluatePlans(std::vector<sim::Plan> plans) {
    const std::vector<env::Evaluation> evaluations = evaluator_.Evaluate(plans);
    std::optional<Fitness> best;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      const Fitness fitness = FitnessOf(evaluations[i]);
      best = std::min(best.value_or(fitness), fitness);
      Keep({.plan = std::move(plans[i]), .fitness = fitness});
    }
    return best;
  }

  void Keep(EvaluatedPlan start) {
    const auto at = std::ranges::upper_bound(best_, start.fitness, {}, &EvaluatedPlan::fitness);
    best_.insert(at, std::move(start));
    best_.resize(std::min(best_.size(), kMostStarts));
  }

  env::Evaluator& evaluator_;
  const LevelStartOptions& options_;
  Rng& rng_;
  std::int64_t evaluations_;
  std::int64_t left_;
  std::int64_t num_partitions_ = 0;
  std::vector<std::shared_ptr<const env::Problem>> views_;
  std::optional<double> memory_share_;  // that placements keep to
  std::map<const env::Problem*, std::unique_ptr<MetisPlacements>> partitions_;  // of each view
  std::vector<sim::OpPlacement> seen_;
  std::vector<EvaluatedPlan> best_;
};

}  // namespace

std::vector<EvaluatedPlan> EvaluateLevelStarts(const env::Problem& problem,
                                               const Levels& levels,
                                               env::Evaluator& evaluator,
                                               const LevelStartOptions& options,
                                               Rng& rng) {
  Starts starts(levels, evaluator, options, rng);
  if (options.start == Start::kHeuristics) {
    return starts.Run();
  }
  return starts.RunPlans(
      problem,
      InitialPlans(
          problem, evaluator, {.start = options.start, .num_levels = options.num_levels}, rng));
}

std::vector<EvaluatedPlan> EvaluateStarts(const env::Problem& problem,
                                          const Levels& levels,
                                          env::Evaluator& evaluator,
                                          const LevelStartOptions& options,
                                          const SearchContext& context,
                                          Rng& rng) {
  if (!context.start.has_value()) {
    return EvaluateLevelStarts(problem, levels, evaluator, options, rng);
  }
  const std::optional<env::Evaluation> evaluation = evaluator.Evaluate(*context.start);
  return evaluation.has_value()
             ? std::vector{EvaluatedPlan{.plan = *context.start, .fitness = FitnessOf(*evaluation)}}
             : std::vector<EvaluatedPlan>();
}

}  // namespace opyard::agents
