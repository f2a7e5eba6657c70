#include "agents/planning/all_initial_plans.h"

#include <algorithm>
#include <utility>

#include "agents/planning/encoding/random_decisions.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "agents/planning/partitioning/metis_tries.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kMetisTries = 4;  // on each number of devices, at least
constexpr std::int64_t kUsualEvaluations = 1'000;
constexpr std::int64_t kManyEvaluations = 1'000'000;

using Placements = std::vector<env::GroupPlacement>;

// The key and the gap rule of a list schedule.
struct ListRule {
  std::vector<double> key;
  GapRule gaps = GapRule::kInsert;
};

// HEFT's and that of critical_path.
std::vector<ListRule> ListRules(const env::Problem& problem, const TransferTimes& transfers) {
  const std::vector<DeviceId> devices = MainDevices(problem);
  return {{.key = UpwardRanks(problem, transfers, devices), .gaps = GapRule::kInsert},
          {.key = MeanPathsToSink(problem, devices), .gaps = GapRule::kAppend}};
}

}  // namespace

Placements ListSchedulePlacements(const env::Problem& problem,
                                  ListScheduleViews views,
                                  std::optional<double> memory_share) {
  const TransferTimes transfers(problem);
  const OpTimes times = OpTimes::Fused(problem);
  std::vector<ScheduleView> wanted = ViewsOf(Awareness::kAware, problem);
  if (views == ListScheduleViews::kFirst) {
    wanted = {{.transfers = TransferRule::kBooked, .devices = {}}};
  }
  Placements placements;
  for (const ListRule& list_rule : ListRules(problem, transfers)) {
    for (const ScheduleView& view : wanted) {
      const ListScheduleOptions options{.gaps = list_rule.gaps,
                                        .memory_share = memory_share,
                                        .transfers = view.transfers,
                                        .times = &times,
                                        .devices = view.devices};
      AddUnlessPresent(
          BuildListSchedule(problem, transfers, list_rule.key, options).device_of_group,
          placements);
    }
  }
  return placements;
}

namespace {

std::vector<Decisions> HeuristicPlans(const env::Problem& problem,
                                      const InitialPlanOptions& options,
                                      Rng& rng) {
  Placements placements = SimplePlacements(problem);
  if (problem.tasks().placement && MainDevices(problem).size() > 1) {
    for (env::GroupPlacement& placement :
         ListSchedulePlacements(problem, ListScheduleViews::kAll)) {
      AddUnlessPresent(std::move(placement), placements);
    }
    const std::int64_t least = kMetisTries * std::ssize(DeviceSets(problem));
    const std::int64_t tries = AffordableTries(problem, options.evaluations_left, least);
    for (env::GroupPlacement& parts : PlacementsByMetis(problem, {.tries = tries}, rng)) {
      AddUnlessPresent(std::move(parts), placements);
    }
  }
  return InitialPlansOfPlacements(problem, placements, options.num_levels);
}

}  // namespace

std::vector<Decisions> InitialPlans(const env::Problem& problem,
                                    const InitialPlanOptions& options,
                                    Rng& rng) {
  switch (options.start) {
    case Start::kNetwork:
      return {};
    case Start::kRandom:
      return {RandomDecisions(problem, options.num_levels, rng)};
    case Start::kSingleDevice:
      return InitialPlansOfPlacements(problem, SingleDevicePlacements(problem), options.num_levels);
    case Start::kSimple:
      return SimpleInitialPlans(problem, options.num_levels);
    case Start::kHeuristics:
      break;
  }
  const std::vector<Decisions> simple = SimpleInitialPlans(problem, options.num_levels);
  const std::int64_t most = options.evaluations_left / 4;
  if (most <= std::ssize(simple)) {
    return simple;
  }
  std::vector<Decisions> starts = HeuristicPlans(problem, options, rng);
  starts.resize(std::min(starts.size(), static_cast<std::size_t>(most)));
  return starts;
}

std::vector<Decisions> InitialPlans(const env::Problem& problem,
                                    const env::Evaluator& evaluator,
                                    InitialPlanOptions options,
                                    Rng& rng) {
  options.evaluations_left = evaluator.EvaluationsLeft(
      evaluator.options().budget.evaluations.has_value() ? kManyEvaluations : kUsualEvaluations);
  return InitialPlans(problem, options, rng);
}

}  // namespace opyard::agents
