#include "agents/classical/dps/dps.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/classical/dps/dynamic_priorities.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "agents/planning/list_scheduling/mean_devices.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

struct DpsSettings {
  bool is_aware = false;
  Means means = Means::kMainDevices;
  MemoryRule memory_rule = MemoryRule::kAuto;
};

OptionTable<DpsSettings> DpsOptions() {
  return OptionTable<DpsSettings>(
      {MeansRow(&DpsSettings::means), MemoryRuleRow(&DpsSettings::memory_rule)});
}

class Dps final : public Agent {
 public:
  explicit Dps(const DpsSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = settings_.is_aware ? OpTimes::Fused(problem) : OpTimes::Alone(problem);
    const std::vector<DeviceId> devices = DevicesOfMeans(settings_.means, problem);
    EvaluateSchedules(settings_.is_aware ? Awareness::kAware : Awareness::kPublished,
                      settings_.memory_rule,
                      problem,
                      evaluator,
                      [&](const ScheduleView& view,
                          std::optional<double> memory_share,
                          std::vector<sim::Plan>& plans) {
                        DynamicPriorities priorities(
                            problem, transfers, times, transfers.Mean(devices), devices);
                        AddPlans(problem,
                                 transfers,
                                 {.gaps = GapRule::kAppend,
                                  .memory_share = memory_share,
                                  .transfers = view.transfers,
                                  .times = &times,
                                  .devices = view.devices,
                                  .preferred_device = GivenDevices(problem)},
                                 priorities,
                                 plans);
                      });
  }

 private:
  // Where placement is no task, the default placement: levels depend on it. [num_groups] or empty
  static std::vector<std::optional<DeviceId>> GivenDevices(const env::Problem& problem) {
    if (problem.tasks().placement) {
      return {};
    }
    const env::GroupPlacement given = DeviceOfGroups(problem, problem.default_placement());
    return {given.begin(), given.end()};
  }

  static void AddPlans(const env::Problem& problem,
                       const TransferTimes& transfers,
                       const ListScheduleOptions& options,
                       DynamicPriorities& priorities,
                       std::vector<sim::Plan>& plans) {
    std::vector<OpId> order;
    ListScheduler scheduler(problem, transfers, options);
    const ListSchedule& schedule = scheduler.BuildBy([&](const ListSchedule& so_far) {
      order.push_back(priorities.Next(so_far));
      return order.back();
    });
    AddListPlans(problem,
                 problem.tasks().placement ? schedule.device_of_group : env::GroupPlacement{},
                 order,
                 plans);
  }

  DpsSettings settings_;
};

AgentInfo DpsInfo() {
  return {
      .name = "dps",
      .kind = AgentKind::kClassical,
      .tasks = {"placement", "scheduling"},
      .is_deterministic = true,
      .paper = "Ahmad, Dhodhi and Ul-Mustafa, IEE Proc. Comput. Digit. Tech. 1998",
      .summary =
          "List scheduling where the op with the greatest difference of b-level and t-level "
          "is next, as the schedule stands; it is appended where it ends first.",
      .deviations = {"Levels count as the package SAGA (Coleman and Krishnamachari) has them: "
                     "means where an op or transfer has no device yet.",
                     "A transfer without a device counts as long as the mean over pairs of "
                     "devices; SAGA takes its size, as if all links had bandwidth 1.",
                     "A group of several ops goes to one device as a whole.",
                     "Where scheduling is a task, each placement is evaluated twice: with the "
                     "problem's default queue, and with the order of the list as priorities. Where "
                     "placement is no task, that order is all that is new.",
                     "The paper has no memory; capacity_test adds it."}};
}

}  // namespace

AgentEntry DpsEntry() {
  return MakeEntry<Dps>(DpsInfo(), DpsOptions());
}

AgentEntry DpsAwareEntry() {
  return MakeEntry<Dps>(AwareInfo(DpsInfo(), kAwareListScheduling),
                        DpsOptions().WithDefaults({.is_aware = true}));
}

}  // namespace opyard::agents
