#include "agents/classical/peft/peft.h"

#include <optional>
#include <utility>

#include "agents/classical/peft/optimistic_costs.h"
#include "agents/classical/peft/optimistic_schedule.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/list_scheduling/list_heuristic.h"
#include "agents/planning/list_scheduling/ready_list_order.h"

namespace opyard::agents {
namespace {

std::vector<MakeListPlan> PeftPlans(const ListEstimates& estimates) {
  OptimisticCosts costs(
      estimates.problem, estimates.transfers, estimates.times, estimates.mean_devices);
  std::vector<OpId> order = ReadyListOrder(
      estimates.problem.graph(), OptimisticRanks(estimates.problem, costs, estimates.mean_devices));
  return {[estimates, costs = std::move(costs), order = std::move(order)](
              const ScheduleView& view, std::optional<double> memory_share) {
    ListPlan made{.device_of_group = {}, .priorities = PrioritiesOfOrder(order)};
    if (estimates.problem.tasks().placement) {
      const OptimisticScheduleOptions options{
          .memory_share = memory_share, .transfers = view.transfers, .devices = view.devices};
      made.device_of_group =
          BuildOptimisticSchedule(
              estimates.problem, estimates.transfers, estimates.times, costs, order, options)
              .device_of_group;
    }
    return made;
  }};
}

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
                     kListPlansDeviation}};
}

}  // namespace

AgentEntry PeftEntry() {
  return PublishedListEntry(PeftInfo(), PeftPlans);
}

AgentEntry PeftAwareEntry() {
  return AwareListEntry(PeftInfo(), PeftPlans);
}

}  // namespace opyard::agents
