#include "agents/search/list_search/list_plans.h"

#include <algorithm>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "agents/planning/list_scheduling/right_shift.h"
#include "env/action_codec.h"
#include "env/plan_queue.h"

namespace opyard::agents {

std::vector<OpId> ListByKeys(const sim::OpGraph& graph, std::span<const double> keys) {
  return env::ListOrderOf(graph, env::RanksOf(keys));
}

ListPlans::ListPlans(const env::Problem& problem,
                     std::vector<std::int32_t> fusion_of_group,
                     std::optional<double> memory_share,
                     std::int64_t most_justifications)
    : problem_(problem),
      transfers_(problem),
      times_(OpTimes::Fused(problem)),
      fusion_of_group_(std::move(fusion_of_group)),
      most_justifications_(most_justifications) {
  if (problem.tasks().placement) {
    AddWays(memory_share);
  } else {
    ways_.resize(1);
  }
}

void ListPlans::AddWays(std::optional<double> memory_share) {
  for (const ScheduleView& view : ViewsOf(Awareness::kAware, problem_)) {
    for (const GapRule gaps : {GapRule::kInsert, GapRule::kAppend}) {
      ways_.push_back({.options = {.gaps = gaps,
                                   .memory_share = memory_share,
                                   .transfers = view.transfers,
                                   .times = &times_,
                                   .devices = view.devices},
                       .scheduler = nullptr});
    }
  }
}

ListScheduler& ListPlans::SchedulerOf(Way& way) {
  if (way.scheduler == nullptr) {
    way.scheduler = std::make_unique<ListScheduler>(problem_, transfers_, way.options);
  }
  return *way.scheduler;
}

sim::Plan ListPlans::Make(std::span<const double> keys, std::size_t way) {
  std::vector<OpId> list = ListByKeys(problem_.graph(), keys);
  Decisions decisions{.fusion_of_group = fusion_of_group_};
  if (problem_.tasks().placement) {
    const ListSchedule schedule = Schedule(list, SchedulerOf(ways_[way]));
    decisions.device_of_group = schedule.device_of_group;
    std::ranges::stable_sort(list, {}, [&](OpId op) { return schedule.start[op.index()]; });
  }
  sim::Plan plan = ToPlan(problem_, decisions);
  if (problem_.tasks().scheduling) {
    env::SetPriorities(plan, PrioritiesOfOrder(list));
  }
  return plan;
}

ListSchedule ListPlans::Schedule(std::span<const OpId> list, ListScheduler& scheduler) const {
  ListSchedule best = scheduler.Build(KeyOfOrder(list));
  for (std::int64_t i = 0; i < most_justifications_; ++i) {
    const ListSchedule& next = scheduler.Build(TimesToEnd(problem_, best, transfers_, times_));
    if (next.makespan >= best.makespan) {
      break;
    }
    best = next;
  }
  return best;
}

}  // namespace opyard::agents
