#include "agents/planning/list_scheduling/aware_search.h"

#include <algorithm>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/group_placement.h"

namespace opyard::agents {

AgentInfo AwareInfo(AgentInfo info, const std::string& deviation) {
  info.name += "_aware";
  info.deviations.push_back(deviation);
  return info;
}

OpTimes OpTimesFor(Awareness awareness, const env::Problem& problem) {
  return awareness == Awareness::kAware ? OpTimes::Fused(problem) : OpTimes::Alone(problem);
}

std::vector<ScheduleView> ViewsOf(Awareness awareness, const env::Problem& problem) {
  if (awareness == Awareness::kPublished) {
    return {{.transfers = TransferRule::kAlone, .devices = {}}};
  }
  std::vector<ScheduleView> views;
  for (const std::vector<DeviceId>& devices : DeviceSets(problem)) {
    for (const TransferRule rule : {TransferRule::kBooked, TransferRule::kAlone}) {
      views.push_back({.transfers = rule, .devices = devices});
    }
  }
  return views;
}

bool EvaluateAndAskSingleDevices(
    MemoryRule rule,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans) {
  std::vector<sim::Plan> asked;
  for (const env::GroupPlacement& placement : DifferentSingleDevicePlacements(problem)) {
    AddUnlessPresent(asked, ToPlan(problem, {.device_of_group = placement}));
  }
  const std::vector<env::Evaluation> answers = evaluator.Evaluate(asked);
  return TryWithMemoryRule(rule, problem, evaluator, [&](std::optional<double> memory_share) {
    std::vector<sim::Plan> plans = make_plans(memory_share);
    bool has_completed = false;
    std::erase_if(plans, [&](const sim::Plan& plan) {
      const auto index = static_cast<std::size_t>(std::ranges::find(asked, plan) - asked.begin());
      has_completed = has_completed || (index < answers.size() && answers[index].is_feasible());
      return index < asked.size();
    });
    for (const env::Evaluation& evaluation : evaluator.Evaluate(plans)) {
      has_completed = has_completed || evaluation.is_feasible();
    }
    return has_completed;
  });
}

bool EvaluateSchedules(Awareness awareness,
                       MemoryRule rule,
                       const env::Problem& problem,
                       env::Evaluator& evaluator,
                       const std::vector<AddSchedule>& schedules) {
  const auto make_plans = [&](std::optional<double> memory_share) {
    std::vector<sim::Plan> plans;
    for (const AddSchedule& add_schedule : schedules) {
      for (const ScheduleView& view : ViewsOf(awareness, problem)) {
        if (!evaluator.is_done()) {
          add_schedule(view, memory_share, plans);
        }
      }
    }
    return plans;
  };
  return awareness == Awareness::kPublished
             ? EvaluateWithMemoryRule(rule, problem, evaluator, make_plans)
             : EvaluateAndAskSingleDevices(rule, problem, evaluator, make_plans);
}

}  // namespace opyard::agents
