#include "agents/classical/peft/peft.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/classical/peft/optimistic_costs.h"
#include "agents/classical/peft/optimistic_schedule.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/mean_devices.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "agents/planning/list_scheduling/ready_list_order.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

struct PeftSettings {
  bool is_aware = false;
  Means means = Means::kMainDevices;
  MemoryRule memory_rule = MemoryRule::kAuto;
};

OptionTable<PeftSettings> PeftOptions() {
  return OptionTable<PeftSettings>(
      {MeansRow(&PeftSettings::means), MemoryRuleRow(&PeftSettings::memory_rule)});
}

class Peft final : public Agent {
 public:
  explicit Peft(const PeftSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const std::vector<DeviceId> devices = DevicesOfMeans(settings_.means, problem);
    const OpTimes times = settings_.is_aware ? OpTimes::Fused(problem) : OpTimes::Alone(problem);
    const OptimisticCosts costs(problem, transfers, times, devices);
    const std::vector<OpId> order =
        ReadyListOrder(problem.graph(), OptimisticRanks(problem, costs, devices));
    EvaluateSchedules(
        settings_.is_aware ? Awareness::kAware : Awareness::kPublished,
        settings_.memory_rule,
        problem,
        evaluator,
        [&](const ScheduleView& view,
            std::optional<double> memory_share,
            std::vector<sim::Plan>& plans) {
          env::GroupPlacement device_of_group;
          if (problem.tasks().placement) {
            const OptimisticScheduleOptions options{
                .memory_share = memory_share, .transfers = view.transfers, .devices = view.devices};
            device_of_group =
                BuildOptimisticSchedule(problem, transfers, times, costs, order, options)
                    .device_of_group;
          }
          AddListPlans(problem, device_of_group, order, plans);
        });
  }

 private:
  PeftSettings settings_;
};

AgentInfo PeftInfo() {
  return {
      .name = "peft",
      .kind = AgentKind::kClassical,
      .tasks = {"placement", "scheduling"},
      .is_deterministic = true,
      .paper = "Arabnejad and Barbosa, IEEE TPDS 2014",
      .summary =
          "List scheduling with lookahead: each op to the device with the least sum of "
          "its end there and an optimistic cost of what follows.",
      .deviations = {"A group of several ops goes to one device as a whole, that of its first op "
                     "that takes time; the table knows that its edges are no transfers.",
                     "Where scheduling is a task, each placement is evaluated twice: with the "
                     "problem's default queue, and with the order of the list as priorities. Where "
                     "placement is no task, that order is all that is new.",
                     "The paper has no memory; capacity_test adds it."}};
}

}  // namespace

AgentEntry PeftEntry() {
  return MakeEntry<Peft>(PeftInfo(), PeftOptions());
}

AgentEntry PeftAwareEntry() {
  return MakeEntry<Peft>(AwareInfo(PeftInfo(), kAwareListScheduling),
                         PeftOptions().WithDefaults({.is_aware = true}));
}

}  // namespace opyard::agents
