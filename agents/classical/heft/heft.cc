#include "agents/classical/heft/heft.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/list_scheduling/list_heuristic.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

enum class GroupDevices : std::uint8_t { kWholeGroup, kFirstOp, kBoth };

struct HeftSettings {
  GroupDevices group_devices = GroupDevices::kBoth;
  ListSettings list = {};
};

OptionTable<HeftSettings> HeftOptions() {
  return OptionTable<HeftSettings>(
             {{.name = "group_rule",
               .field = Word(&HeftSettings::group_devices,
                             {{"whole_group", GroupDevices::kWholeGroup},
                              {"first_op", GroupDevices::kFirstOp},
                              {"both", GroupDevices::kBoth}}),
               .meaning =
                   "what decides where a group of several ops goes: all of it, the first of its "
                   "ops by rank, or each in a plan of its own; for groups of one op all are the "
                   "paper's"}})
      .With(&HeftSettings::list, ListOptions());
}

std::vector<GroupDeviceRule> RulesOf(GroupDevices group_devices, const env::Problem& problem) {
  if (group_devices == GroupDevices::kFirstOp) {
    return {GroupDeviceRule::kFirstOp};
  }
  const bool has_one_op_per_group = NumGroups(problem) == problem.graph().num_ops();
  if (group_devices == GroupDevices::kWholeGroup || has_one_op_per_group ||
      !problem.tasks().placement) {
    return {GroupDeviceRule::kWholeGroup};
  }
  return {GroupDeviceRule::kWholeGroup, GroupDeviceRule::kFirstOp};
}

std::vector<MakeListPlan> HeftPlans(const ListEstimates& estimates, GroupDevices group_devices) {
  const std::vector<double> ranks =
      UpwardRanks(estimates.problem, estimates.transfers, estimates.mean_devices);
  std::vector<MakeListPlan> plans;
  for (const GroupDeviceRule rule : RulesOf(group_devices, estimates.problem)) {
    plans.push_back(
        [estimates, ranks, rule](const ScheduleView& view, std::optional<double> memory_share) {
          ListPlan made{.device_of_group = {}, .priorities = env::RanksOf(ranks)};
          if (estimates.problem.tasks().placement) {
            ListScheduleOptions options = estimates.OptionsOf(view, memory_share);
            options.group_device = rule;
            made.device_of_group =
                BuildListSchedule(estimates.problem, estimates.transfers, ranks, options)
                    .device_of_group;
          }
          return made;
        });
  }
  return plans;
}

AgentInfo HeftInfo() {
  return {
      .name = "heft",
      .kind = AgentKind::kClassical,
      .tasks = {"placement", "scheduling"},
      .is_deterministic = true,
      .paper = "Topcuoglu, Hariri and Wu, IEEE TPDS 2002",
      .summary =
          "List scheduling by upward rank, each op to the device where it ends first, with "
          "insertion into idle gaps.",
      .deviations = {"A group of several ops goes to one device as a whole.",
                     "Where scheduling is a task, each placement is evaluated twice: with the "
                     "problem's default queue, and with the ranks as priorities. Where placement "
                     "is no task, the ranks are all that is new."}};
}

std::unique_ptr<Agent> MakeHeft(const HeftSettings& settings) {
  return MakeListAgent(settings.list,
                       [group_devices = settings.group_devices](const ListEstimates& estimates) {
                         return HeftPlans(estimates, group_devices);
                       });
}

}  // namespace

AgentEntry HeftEntry() {
  return MakeEntry(HeftInfo(), HeftOptions(), MakeHeft);
}

AgentEntry HeftAwareEntry() {
  return MakeEntry(AwareInfo(HeftInfo(), kAwareListScheduling),
                   HeftOptions().WithDefaults({.list = kAwareList}),
                   MakeHeft);
}

}  // namespace opyard::agents
