#include "agents/classical/dps/dps.h"

#include <optional>

#include "agents/classical/dps/dynamic_priorities.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/list_scheduling/list_heuristic.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

// Where placement is no task, the default placement: levels depend on it. [num_groups] or empty
std::vector<std::optional<DeviceId>> GivenDevices(const env::Problem& problem) {
  if (problem.tasks().placement) {
    return {};
  }
  const env::GroupPlacement given = DeviceOfGroups(problem, problem.default_placement());
  return {given.begin(), given.end()};
}

std::vector<MakeListPlan> DpsPlans(const ListEstimates& estimates) {
  return {[estimates](const ScheduleView& view, std::optional<double> memory_share) {
    DynamicPriorities priorities(estimates.problem,
                                 estimates.transfers,
                                 estimates.times,
                                 estimates.transfers.Mean(estimates.mean_devices),
                                 estimates.mean_devices);
    ListScheduleOptions options = estimates.OptionsOf(view, memory_share);
    options.gaps = GapRule::kAppend;
    options.preferred_device = GivenDevices(estimates.problem);
    ListScheduler scheduler(estimates.problem, estimates.transfers, options);
    std::vector<OpId> order;
    const ListSchedule& schedule = scheduler.BuildBy([&](const ListSchedule& so_far) {
      order.push_back(priorities.Next(so_far));
      return order.back();
    });
    return ListPlan{.device_of_group = schedule.device_of_group,
                    .priorities = PrioritiesOfOrder(order)};
  }};
}

AgentInfo DpsInfo() {
  return {.name = "dps",
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
                         kListPlansDeviation}};
}

}  // namespace

AgentEntry DpsEntry() {
  return PublishedListEntry(DpsInfo(), DpsPlans);
}

AgentEntry DpsAwareEntry() {
  return AwareListEntry(DpsInfo(), DpsPlans);
}

}  // namespace opyard::agents
