#include "agents/classical/cpop/cpop.h"

#include <optional>

#include "agents/classical/cpop/critical_path.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/list_scheduling/list_heuristic.h"
#include "agents/planning/list_scheduling/ready_list_order.h"

namespace opyard::agents {
namespace {

std::vector<MakeListPlan> CpopPlans(const ListEstimates& estimates) {
  const std::vector<double> priority = CpopPriorities(
      estimates.problem, estimates.transfers.Mean(estimates.mean_devices), estimates.mean_devices);
  return {[estimates,
           path = CriticalPath(estimates.problem.graph(), priority),
           order = ReadyListOrder(estimates.problem.graph(), priority)](
              const ScheduleView& view, std::optional<double> memory_share) {
    ListPlan made{.device_of_group = {}, .priorities = PrioritiesOfOrder(order)};
    if (estimates.problem.tasks().placement) {
      const DeviceId processor =
          CriticalPathProcessor(estimates.problem,
                                estimates.times,
                                path,
                                view.devices.empty() ? estimates.mean_devices : view.devices);
      ListScheduleOptions options = estimates.OptionsOf(view, memory_share);
      options.preferred_device = PreferOnPath(estimates.problem, path, processor);
      made.device_of_group =
          BuildListSchedule(estimates.problem, estimates.transfers, KeyOfOrder(order), options)
              .device_of_group;
    }
    return made;
  }};
}

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
                     kListPlansDeviation}};
}

}  // namespace

AgentEntry CpopEntry() {
  return PublishedListEntry(CpopInfo(), CpopPlans);
}

AgentEntry CpopAwareEntry() {
  return AwareListEntry(CpopInfo(), CpopPlans);
}

}  // namespace opyard::agents
