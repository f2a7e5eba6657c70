#include "agents/classical/heft/heft.h"

#include <algorithm>
#include <optional>

#include "agents/base/make_entry.h"
#include "agents/planning/decisions.h"
#include "agents/planning/list_schedule.h"
#include "agents/planning/memory_rule.h"
#include "agents/planning/op_times.h"
#include "agents/planning/ranks.h"
#include "agents/planning/simple_plans.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

enum class GroupDevices : std::uint8_t { kWholeGroup, kFirstOp, kBoth };
enum class Means : std::uint8_t { kAllDevices, kMainDevices, kBoth };

struct Settings {
  bool faithful = false;
  GroupDevices group_devices = GroupDevices::kBoth;
  Means means = Means::kMainDevices;
  MemoryRule memory_rule = MemoryRule::kAuto;
};

OptionTable<Settings> HeftOptions() {
  return OptionTable<Settings>(
      {{.name = "faithful",
        .field = Flag(&Settings::faithful),
        .meaning = "whether each op counts as a kernel and each transfer as alone on the machine, "
                   "over all devices at once, without asking for single devices",
        .paper = "true"},
       {.name = "group_rule",
        .field = Word(&Settings::group_devices,
                      {{"whole_group", GroupDevices::kWholeGroup},
                       {"first_op", GroupDevices::kFirstOp},
                       {"both", GroupDevices::kBoth}}),
        .meaning =
            "what decides where a group of several ops goes: all of it, the first of its ops "
            "by rank, or each in a plan of its own; for groups of one op all are the paper's"},
       {.name = "means",
        .field = Word(&Settings::means,
                      {{"all_devices", Means::kAllDevices},
                       {"main_devices", Means::kMainDevices},
                       {"both", Means::kBoth}}),
        .meaning = "over which devices ranks average costs and transfers: all, those of the main "
                   "kind (a slow host distorts the rest), or each in a plan of its own",
        .paper = "all_devices"},
       MemoryRuleRow(&Settings::memory_rule)});
}

class Heft final : public Agent {
 public:
  explicit Heft(const Settings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = settings_.faithful ? OpTimes::Alone(problem) : OpTimes::Fused(problem);
    std::vector<sim::Plan> asked;
    if (!settings_.faithful) {
      AddSingleDevices(problem, asked);
      evaluator.Evaluate(asked);
    }
    EvaluateWithMemoryRule(
        settings_.memory_rule, problem, evaluator, [&](std::optional<double> memory_share) {
          std::vector<sim::Plan> plans;
          AddSchedules(problem, transfers, times, memory_share, plans);
          std::erase_if(plans, [&](const sim::Plan& plan) {
            return std::ranges::find(asked, plan) != asked.end();
          });
          return plans;
        });
  }

 private:
  static void AddSingleDevices(const env::Problem& problem, std::vector<sim::Plan>& plans) {
    for (const std::vector<DeviceId>& placement : SingleDevicePlacements(problem)) {
      AddUnlessPresent(plans, ToPlan(problem, {.device_of_group = placement}));
    }
  }

  void AddSchedules(const env::Problem& problem,
                    const TransferTimes& transfers,
                    const OpTimes& times,
                    std::optional<double> memory_share,
                    std::vector<sim::Plan>& plans) const {
    for (const std::vector<double>& ranks : Ranks(problem, transfers)) {
      for (const GroupDeviceRule rule : GroupDeviceRules(problem)) {
        for (const std::vector<DeviceId>& devices : DeviceSets(problem)) {
          for (const TransferRule transfer_rule : TransferRules()) {
            AddPlans(problem,
                     transfers,
                     ranks,
                     {.group_device = rule,
                      .memory_share = memory_share,
                      .transfers = transfer_rule,
                      .times = &times,
                      .devices = devices},
                     plans);
          }
        }
      }
    }
  }

  // Booked transfers are nearer to the machine; where groups of many ops hide how much could
  // overlap, they keep too much on one device.
  [[nodiscard]] std::vector<TransferRule> TransferRules() const {
    return settings_.faithful ? std::vector{TransferRule::kAlone}
                              : std::vector{TransferRule::kBooked, TransferRule::kAlone};
  }

  // The first 2, 4, 8, … main devices, and all of them: more than help make a step slower.
  [[nodiscard]] std::vector<std::vector<DeviceId>> DeviceSets(const env::Problem& problem) const {
    if (settings_.faithful || !problem.tasks().placement) {
      return {{}};
    }
    const std::vector<DeviceId> all = MainDevices(problem);
    std::vector<std::vector<DeviceId>> sets;
    for (std::size_t count = 2; count < all.size(); count *= 2) {
      sets.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    }
    sets.push_back(all);
    return sets;
  }

  [[nodiscard]] std::vector<std::vector<double>> Ranks(const env::Problem& problem,
                                                       const TransferTimes& transfers) const {
    std::vector<DeviceId> all;
    for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
      all.emplace_back(i);
    }
    const std::vector<DeviceId> main_devices = MainDevices(problem);
    std::vector<std::vector<double>> ranks;
    if (settings_.means != Means::kMainDevices) {
      ranks.push_back(UpwardRanks(problem, transfers, all));
    }
    if (settings_.means == Means::kMainDevices ||
        (settings_.means == Means::kBoth && all != main_devices)) {
      ranks.push_back(UpwardRanks(problem, transfers, main_devices));
    }
    return ranks;
  }

  [[nodiscard]] std::vector<GroupDeviceRule> GroupDeviceRules(const env::Problem& problem) const {
    if (settings_.group_devices == GroupDevices::kFirstOp) {
      return {GroupDeviceRule::kFirstOp};
    }
    const bool has_one_op_per_group = NumGroups(problem) == problem.graph().num_ops();
    if (settings_.group_devices == GroupDevices::kWholeGroup || has_one_op_per_group ||
        !problem.tasks().placement) {
      return {GroupDeviceRule::kWholeGroup};
    }
    return {GroupDeviceRule::kWholeGroup, GroupDeviceRule::kFirstOp};
  }

  static void AddPlans(const env::Problem& problem,
                       const TransferTimes& transfers,
                       const std::vector<double>& ranks,
                       const ListScheduleOptions& options,
                       std::vector<sim::Plan>& plans) {
    Decisions decisions;
    if (problem.tasks().placement) {
      decisions.device_of_group =
          BuildListSchedule(problem, transfers, ranks, options).device_of_group;
    }
    AddUnlessPresent(plans, ToPlan(problem, decisions));
    if (problem.tasks().scheduling) {
      sim::Plan ranked = ToPlan(problem, decisions);
      env::SetPriorities(ranked, env::RanksOf(ranks));
      AddUnlessPresent(plans, std::move(ranked));
    }
  }

  Settings settings_;
};

}  // namespace

AgentEntry HeftEntry() {
  return MakeEntry<Heft>(
      {.name = "heft",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Topcuoglu, Hariri and Wu, IEEE TPDS 2002",
       .summary = "List scheduling by upward rank, each op to the device where it ends first, with "
                  "insertion into idle gaps.",
       .deviations = {"A group of several ops goes to one device as a whole.",
                      "Where scheduling is a task, each placement is judged twice: with the "
                      "problem's default queue, and with the ranks as priorities. Where placement "
                      "is no task, the ranks are all that is new.",
                      "Unless faithful, ops take their share of the kernels that they are fused "
                      "into on one device, transfers also wait for the channels of their routes, "
                      "schedules on the first 2, 4, 8, … and on all main devices are judged, and "
                      "so is each device alone: never slower than single_device.",
                      "The paper has no memory; capacity_test adds it."}},
      HeftOptions());
}

}  // namespace opyard::agents
