#include "agents/planning/list_scheduling/list_heuristic.h"

#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {
namespace {

std::vector<std::vector<DeviceId>> DevicesOfMeans(Means means, const env::Problem& problem) {
  std::vector<DeviceId> main_devices = MainDevices(problem);
  if (means == Means::kMainDevices || main_devices == problem.devices()) {
    return {std::move(main_devices)};
  }
  if (means == Means::kAllDevices) {
    return {problem.devices()};
  }
  return {problem.devices(), std::move(main_devices)};
}

class ListAgent final : public Agent {
 public:
  ListAgent(const ListSettings& settings, MakeListPlans heuristic)
      : settings_(settings), heuristic_(std::move(heuristic)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = OpTimesFor(settings_.awareness, problem);
    std::vector<AddSchedule> schedules;
    for (const std::vector<DeviceId>& devices : DevicesOfMeans(settings_.means, problem)) {
      for (MakeListPlan& make : heuristic_({.problem = problem,
                                .transfers = transfers,
                                .times = times,
                                .mean_devices = devices})) {
        schedules.push_back([&problem, make = std::move(make)](const ScheduleView& view,
                                                               std::optional<double> memory_share,
                                                               std::vector<sim::Plan>& plans) {
          AddListPlans(problem, make(view, memory_share), plans);
        });
      }
    }
    EvaluateSchedules(settings_.awareness, settings_.memory_rule, problem, evaluator, schedules);
  }

 private:
  ListSettings settings_;
  MakeListPlans heuristic_;
};

AgentEntry ListEntry(AgentInfo info, const ListSettings& defaults, MakeListPlans heuristic) {
  return MakeEntry(std::move(info),
                   ListOptions().WithDefaults(defaults),
                   [heuristic = std::move(heuristic)](const ListSettings& settings) {
                     return MakeListAgent(settings, heuristic);
                   });
}

}  // namespace

OptionTable<ListSettings> ListOptions() {
  return OptionTable<ListSettings>(
      {{.name = "means",
        .field = Word(&ListSettings::means,
                      {{"all_devices", Means::kAllDevices},
                       {"main_devices", Means::kMainDevices},
                       {"both", Means::kBoth}}),
        .meaning = "over which devices costs, transfers and ranks are averaged: all, those of the "
                   "main kind (a slow host distorts the rest), or each in plans of their own",
        .paper = "all_devices"},
       MemoryRuleRow(&ListSettings::memory_rule)});
}

ListScheduleOptions ListEstimates::OptionsOf(const ScheduleView& view,
                                             std::optional<double> memory_share) const {
  return {.memory_share = memory_share,
          .transfers = view.transfers,
          .times = &times,
          .devices = view.devices};
}

std::unique_ptr<Agent> MakeListAgent(const ListSettings& settings, MakeListPlans heuristic) {
  return std::make_unique<ListAgent>(settings, std::move(heuristic));
}

AgentEntry PublishedListEntry(AgentInfo info, MakeListPlans heuristic) {
  return ListEntry(std::move(info), {}, std::move(heuristic));
}

AgentEntry AwareListEntry(AgentInfo info, MakeListPlans heuristic) {
  return ListEntry(
      AwareInfo(std::move(info), kAwareListScheduling), kAwareList, std::move(heuristic));
}

}  // namespace opyard::agents
