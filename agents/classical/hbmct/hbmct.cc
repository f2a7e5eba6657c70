#include "agents/classical/hbmct/hbmct.h"

#include <algorithm>
#include <optional>

#include "agents/base/make_entry.h"
#include "agents/classical/hbmct/hybrid_schedule.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/list_scheduling/list_heuristic.h"

namespace opyard::agents {
namespace {

struct HbmctSettings {
  InitialDevice initial = InitialDevice::kExecutionTime;
  ListSettings list = {};
};

OptionTable<HbmctSettings> HbmctOptions() {
  return OptionTable<HbmctSettings>(
             {{.name = "initial",
               .field = Word(&HbmctSettings::initial,
                             {{"execution_time", InitialDevice::kExecutionTime},
                              {"finish_time", InitialDevice::kFinishTime}}),
               .meaning =
                   "the device that an op has before its batch is balanced: that which runs it in "
                   "least time, or where it would end first, as the package SAGA has it",
               .paper = "execution_time"}})
      .With(&HbmctSettings::list, ListOptions());
}

// The ops by their start, equals by topological index.
std::vector<OpId> OrderOfStarts(const sim::OpGraph& graph, const ListSchedule& schedule) {
  std::vector<OpId> order(graph.topological_order().begin(), graph.topological_order().end());
  std::ranges::stable_sort(order, {}, [&](OpId op) { return schedule.start[op.index()]; });
  return order;
}

std::vector<MakeListPlan> HbmctPlans(const ListEstimates& estimates, InitialDevice initial) {
  return {[estimates,
           initial,
           order = OrderByKey(
               estimates.problem.graph(),
               UpwardRanks(estimates.problem, estimates.transfers, estimates.mean_devices))](
              const ScheduleView& /*view*/, std::optional<double> memory_share) {
    const ListSchedule schedule =
        BuildHybridSchedule(estimates.problem,
                            estimates.transfers,
                            estimates.times,
                            order,
                            {.initial = initial, .memory_share = memory_share});
    return ListPlan{
        .device_of_group = schedule.device_of_group,
        .priorities = PrioritiesOfOrder(OrderOfStarts(estimates.problem.graph(), schedule))};
  }};
}

AgentInfo HbmctInfo() {
  return {
      .name = "hbmct",
      .kind = AgentKind::kClassical,
      .tasks = {"placement", "scheduling"},
      .is_deterministic = true,
      .paper = "Sakellariou and Zhao, HCW 2004",
      .summary =
          "Batches of independent ops by upward rank; in each, ops move from the device "
          "that ends last to another as long as that helps.",
      .deviations = {
          "The order of ops on a device (by their soonest start, those that were moved there "
          "last) and that in which they are tried (by the mean of it) are those of the package "
          "SAGA.",
          "A group of several ops goes to one device as a whole, with the first batch that has "
          "one of them.",
          "Where scheduling is a task, each placement is evaluated twice: with the problem's "
          "default queue, and with the starts of the schedule as priorities. Where placement is "
          "no task, these are all that is new."}};
}

}  // namespace

AgentEntry HbmctEntry() {
  return MakeEntry(HbmctInfo(), HbmctOptions(), [](const HbmctSettings& settings) {
    return MakeListAgent(settings.list,
                         [initial = settings.initial](const ListEstimates& estimates) {
                           return HbmctPlans(estimates, initial);
                         });
  });
}

}  // namespace opyard::agents
