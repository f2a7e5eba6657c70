#include "agents/planning/multilevel/level_starts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/partitioning/metis_tries.h"

namespace opyard::agents {
namespace {

constexpr std::size_t kNumWithEqualPriorities = 3;
constexpr std::int64_t kUsualEvaluations = 1'000;  // where they have no limit
constexpr std::int64_t kManyEvaluations = 1'000'000;
constexpr std::int64_t kEvaluationsPerTry = 20;
constexpr std::int64_t kMostTries = 1'000;
constexpr std::int64_t kMostGroupsInAll = 1'048'576;  // of all tries: some seconds of METIS
constexpr double kMemoryShares[] = {1.0, 0.85, 0.7};  // as TryWithMemoryRule has them

struct EvaluatedPlan {
  sim::Plan plan;
  Fitness fitness;
};

// Those that the evaluator's budget leaves.
std::int64_t EvaluationsLeft(const env::Evaluator& evaluator) {
  return evaluator.EvaluationsLeft(
      evaluator.options().budget.evaluations.has_value() ? kManyEvaluations : kUsualEvaluations);
}

class Starts {
 public:
  Starts(const Levels& levels, env::Evaluator& evaluator, const LevelStartOptions& options, Rng& rng)
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

  void Run() {
    const env::Problem& finest = *views_.back();
    (void)Evaluate(finest, SimplePlacements(finest));
    if (finest.tasks().placement && MainDevices(finest).size() > 1) {
      EvaluatePartitions();
      EvaluateListSchedules();
    }
    EvaluateEqualPriorities();
  }

 private:
  using Placements = std::vector<env::GroupPlacement>;

  void EvaluateListSchedules() {
    std::vector<std::optional<Fitness>> best;
    for (const auto& view : views_) {
      best.push_back(EvaluateListSchedules(*view, ListScheduleViews::kFirst));
    }
    (void)EvaluateListSchedules(*views_[LevelOfBest(best)], ListScheduleViews::kAll);
  }

  std::optional<Fitness> EvaluateListSchedules(const env::Problem& view,
                                               ListScheduleViews schedules) {
    return evaluator_.is_done() ? std::nullopt
                                : Evaluate(view, ListSchedulePlacements(view, schedules));
  }

  // Of the shares of memory that partitions may fill, the first under which one completes.
  void EvaluatePartitions() {
    bool has_completed = EvaluatePartitions(std::nullopt);
    for (const double share : kMemoryShares) {
      has_completed = has_completed || EvaluatePartitions(share);
    }
  }

  // Whether one of them completed.
  bool EvaluatePartitions(std::optional<double> memory_share) {
    const auto num_sets = std::ssize(DeviceSets(*views_.back()));
    std::vector<std::optional<Fitness>> best;
    for (const auto& view : views_) {
      best.push_back(EvaluateTries(*view, {.tries = num_sets, .memory_share = memory_share}));
    }
    const std::size_t level = LevelOfBest(best);
    if (!best[level].has_value() || best[level]->is_infeasible) {
      return false;
    }
    // METIS begins with the same ones again, which are not evaluated twice.
    const std::int64_t further = Tries(*views_[level]) - num_sets * std::ssize(views_);
    (void)EvaluateTries(*views_[level],
                        {.tries = num_sets + std::max<std::int64_t>(num_sets, further),
                         .memory_share = memory_share});
    return true;
  }

  std::optional<Fitness> EvaluateTries(const env::Problem& view, const MetisTries& tries) {
    return evaluator_.is_done() ? std::nullopt
                                : Evaluate(view, PlacementsByMetis(view, tries, rng_));
  }

  // Of METIS in all: one for every kEvaluationsPerTry, as long as that takes seconds.
  [[nodiscard]] std::int64_t Tries(const env::Problem& view) const {
    const auto num_groups = static_cast<std::int64_t>(NumGroups(view));
    return std::min({evaluations_ / kEvaluationsPerTry, kMostTries, kMostGroupsInAll / num_groups});
  }

  void EvaluateEqualPriorities() {
    if (!views_.back()->tasks().scheduling) {
      return;
    }
    std::vector<sim::Plan> plans;
    for (const EvaluatedPlan& start : best_) {
      plans.push_back(start.plan);
      std::ranges::fill(plans.back().op_priority, options_.num_levels / 2);
    }
    evaluator_.Evaluate(plans);
  }

  // The first of the best; level 0 where nothing was evaluated.
  static std::size_t LevelOfBest(const std::vector<std::optional<Fitness>>& fitness) {
    std::size_t best = 0;
    for (std::size_t level = 0; level < fitness.size(); ++level) {
      if (fitness[level].has_value() && (!fitness[best].has_value() || *fitness[level] < *fitness[best])) {
        best = level;
      }
    }
    return best;
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
    best_.push_back(std::move(start));
    std::ranges::stable_sort(best_, {}, &EvaluatedPlan::fitness);
    best_.resize(std::min(best_.size(), kNumWithEqualPriorities));
  }

  env::Evaluator& evaluator_;
  const LevelStartOptions& options_;
  Rng& rng_;
  std::int64_t evaluations_;
  std::int64_t left_;
  std::vector<std::shared_ptr<const env::Problem>> views_;
  std::vector<sim::OpPlacement> seen_;
  std::vector<EvaluatedPlan> best_;
};

}  // namespace

void EvaluateLevelStarts(const env::Problem& problem,
                         const Levels& levels,
                         env::Evaluator& evaluator,
                         const LevelStartOptions& options,
                         Rng& rng) {
  if (options.start == Start::kHeuristics) {
    Starts(levels, evaluator, options, rng).Run();
    return;
  }
  const std::vector<Decisions> starts = InitialPlans(
      problem, evaluator, {.start = options.start, .num_levels = options.num_levels}, rng);
  evaluator.Evaluate(starts.size(), [&](std::size_t i) { return ToPlan(problem, starts[i]); });
}

void EvaluateStart(const env::Problem& problem,
                   const Levels& levels,
                   env::Evaluator& evaluator,
                   const LevelStartOptions& options,
                   const SearchContext& context,
                   Rng& rng) {
  if (context.start.has_value()) {
    evaluator.Evaluate(*context.start);
  } else {
    EvaluateLevelStarts(problem, levels, evaluator, options, rng);
  }
}

}  // namespace opyard::agents
