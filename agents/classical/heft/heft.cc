#include "agents/classical/heft/heft.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

enum class GroupDevices : std::uint8_t { kWholeGroup, kFirstOp, kBoth };
enum class Means : std::uint8_t { kAllDevices, kMainDevices, kBoth };

struct HeftSettings {
  bool is_aware = false;
  GroupDevices group_devices = GroupDevices::kBoth;
  Means means = Means::kMainDevices;
  MemoryRule memory_rule = MemoryRule::kAuto;
};

struct Ranking {
  std::vector<double> ranks;             // [num_ops]
  std::vector<std::int64_t> priorities;  // [num_ops], in the same order
};

OptionTable<HeftSettings> HeftOptions() {
  return OptionTable<HeftSettings>(
      {{.name = "group_rule",
        .field = Word(&HeftSettings::group_devices,
                      {{"whole_group", GroupDevices::kWholeGroup},
                       {"first_op", GroupDevices::kFirstOp},
                       {"both", GroupDevices::kBoth}}),
        .meaning =
            "what decides where a group of several ops goes: all of it, the first of its ops "
            "by rank, or each in a plan of its own; for groups of one op all are the paper's"},
       {.name = "means",
        .field = Word(&HeftSettings::means,
                      {{"all_devices", Means::kAllDevices},
                       {"main_devices", Means::kMainDevices},
                       {"both", Means::kBoth}}),
        .meaning = "over which devices ranks average costs and transfers: all, those of the main "
                   "kind (a slow host distorts the rest), or each in a plan of its own",
        .paper = "all_devices"},
       MemoryRuleRow(&HeftSettings::memory_rule)});
}

class Heft final : public Agent {
 public:
  explicit Heft(const HeftSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = settings_.is_aware ? OpTimes::Fused(problem) : OpTimes::Alone(problem);
    const auto make_plans = [&](std::optional<double> memory_share) {
      std::vector<sim::Plan> plans;
      AddSchedules(problem, transfers, times, memory_share, plans);
      return plans;
    };
    if (settings_.is_aware) {
      EvaluateAndAskSingleDevices(settings_.memory_rule, problem, evaluator, make_plans);
    } else {
      EvaluateWithMemoryRule(settings_.memory_rule, problem, evaluator, make_plans);
    }
  }

 private:
  void AddSchedules(const env::Problem& problem,
                    const TransferTimes& transfers,
                    const OpTimes& times,
                    std::optional<double> memory_share,
                    std::vector<sim::Plan>& plans) const {
    const Awareness awareness = settings_.is_aware ? Awareness::kAware : Awareness::kPublished;
    for (const std::vector<double>& ranks : Ranks(problem, transfers)) {
      const Ranking ranking{.ranks = ranks, .priorities = env::RanksOf(ranks)};
      for (const GroupDeviceRule rule : GroupDeviceRules(problem)) {
        for (const ScheduleView& view : ViewsOf(awareness, problem)) {
          AddPlans(problem,
                   transfers,
                   ranking,
                   {.group_device = rule,
                    .memory_share = memory_share,
                    .transfers = view.transfers,
                    .times = &times,
                    .devices = view.devices},
                   plans);
        }
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<double>> Ranks(const env::Problem& problem,
                                                       const TransferTimes& transfers) const {
    const std::vector<DeviceId>& all = problem.devices();
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
                       const Ranking& ranking,
                       const ListScheduleOptions& options,
                       std::vector<sim::Plan>& plans) {
    Decisions decisions;
    if (problem.tasks().placement) {
      decisions.device_of_group =
          BuildListSchedule(problem, transfers, ranking.ranks, options).device_of_group;
    }
    AddUnlessPresent(plans, ToPlan(problem, decisions));
    if (problem.tasks().scheduling) {
      sim::Plan ranked = ToPlan(problem, decisions);
      env::SetPriorities(ranked, ranking.priorities);
      AddUnlessPresent(plans, std::move(ranked));
    }
  }

  HeftSettings settings_;
};

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
                     "is no task, the ranks are all that is new.",
                     "The paper has no memory; capacity_test adds it."}};
}

}  // namespace

AgentEntry HeftEntry() {
  return MakeEntry<Heft>(HeftInfo(), HeftOptions());
}

AgentEntry HeftAwareEntry() {
  return MakeEntry<Heft>(AwareInfo(HeftInfo(), kAwareListScheduling),
                         HeftOptions().WithDefaults({.is_aware = true}));
}

}  // namespace opyard::agents
