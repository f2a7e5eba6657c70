#include "agents/classical/cpop/cpop.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "agents/base/make_entry.h"
#include "agents/classical/cpop/critical_path.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "agents/planning/list_scheduling/mean_devices.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "agents/planning/list_scheduling/ready_list_order.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

struct CpopSettings {
  bool is_aware = false;
  Means means = Means::kMainDevices;
  MemoryRule memory_rule = MemoryRule::kAuto;
};

OptionTable<CpopSettings> CpopOptions() {
  return OptionTable<CpopSettings>(
      {MeansRow(&CpopSettings::means), MemoryRuleRow(&CpopSettings::memory_rule)});
}

class Cpop final : public Agent {
 public:
  explicit Cpop(const CpopSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = settings_.is_aware ? OpTimes::Fused(problem) : OpTimes::Alone(problem);
    const std::vector<DeviceId> devices = DevicesOfMeans(settings_.means, problem);
    const std::vector<double> priority = Priorities(problem, transfers.Mean(devices), devices);
    const std::vector<OpId> path = CriticalPath(problem.graph(), priority);
    const std::vector<OpId> order = ReadyListOrder(problem.graph(), priority);
    EvaluateSchedules(settings_.is_aware ? Awareness::kAware : Awareness::kPublished,
                      settings_.memory_rule,
                      problem,
                      evaluator,
                      [&](const ScheduleView& view,
                          std::optional<double> memory_share,
                          std::vector<sim::Plan>& plans) {
                        env::GroupPlacement device_of_group;
                        if (problem.tasks().placement) {
                          const DeviceId processor = CriticalPathProcessor(
                              problem, times, path, view.devices.empty() ? devices : view.devices);
                          const ListScheduleOptions options{
                              .memory_share = memory_share,
                              .transfers = view.transfers,
                              .times = &times,
                              .devices = view.devices,
                              .preferred_device = PreferOnPath(problem, path, processor)};
                          const std::vector<std::int64_t> places = PrioritiesOfOrder(order);
                          const std::vector<double> key(places.begin(), places.end());
                          device_of_group =
                              BuildListSchedule(problem, transfers, key, options).device_of_group;
                        }
                        AddListPlans(problem, device_of_group, order, plans);
                      });
  }

 private:
  static std::vector<double> Priorities(const env::Problem& problem,
                                        const TransferTimes::Line& mean,
                                        std::span<const DeviceId> devices) {
    std::vector<double> priority = UpwardRanks(problem, mean, devices);
    std::ranges::transform(
        priority, DownwardRanks(problem, mean, devices), priority.begin(), std::plus<>());
    return priority;
  }

  CpopSettings settings_;
};

AgentInfo CpopInfo() {
  return {
      .name = "cpop",
      .kind = AgentKind::kClassical,
      .tasks = {"placement", "scheduling"},
      .is_deterministic = true,
      .paper = "Topcuoglu, Hariri and Wu, IEEE TPDS 2002",
      .summary =
          "List scheduling with the critical path on one device: that which runs its ops "
          "fastest; each other op goes where it ends first.",
      .deviations = {"A group of several ops goes to one device as a whole, that of the critical "
                     "path if one of its ops is on it.",
                     "Where scheduling is a task, each placement is evaluated twice: with the "
                     "problem's default queue, and with the order of the list as priorities. Where "
                     "placement is no task, that order is all that is new.",
                     "The paper has no memory; capacity_test adds it."}};
}

}  // namespace

AgentEntry CpopEntry() {
  return MakeEntry<Cpop>(CpopInfo(), CpopOptions());
}

AgentEntry CpopAwareEntry() {
  return MakeEntry<Cpop>(AwareInfo(CpopInfo(), kAwareListScheduling),
                         CpopOptions().WithDefaults({.is_aware = true}));
}

}  // namespace opyard::agents
