#include "agents/classical/heft/heft.h"

#include <optional>

#include "agents/planning/decisions.h"
#include "agents/planning/list_schedule.h"
#include "agents/planning/memory_rule.h"
#include "agents/planning/ranks.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

class Heft final : public Agent {
 public:
  explicit Heft(Options& options)
      : group_rule_(options.Text("group_rule", "both", {"whole_group", "first_op", "both"})),
        means_(options.Text("means", "both", {"all_devices", "main_devices", "both"})),
        memory_rule_(ReadMemoryRule(options)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const TrainingListener& /*listener*/) override {
    const TransferTimes transfers(problem);
    EvaluateWithMemoryRule(
        memory_rule_, problem, evaluator, [&](std::optional<double> memory_share) {
          return Plans(problem, transfers, memory_share);
        });
  }

 private:
  [[nodiscard]] std::vector<sim::Plan> Plans(const env::Problem& problem,
                                             const TransferTimes& transfers,
                                             std::optional<double> memory_share) const {
    std::vector<sim::Plan> plans;
    for (const std::vector<double>& ranks : Ranks(problem, transfers)) {
      for (const GroupDeviceRule rule : GroupRules(problem)) {
        const ListScheduleOptions options{.group_device = rule, .memory_share = memory_share};
        AddPlans(problem, transfers, ranks, options, plans);
      }
    }
    return plans;
  }

  [[nodiscard]] std::vector<std::vector<double>> Ranks(const env::Problem& problem,
                                                       const TransferTimes& transfers) const {
    std::vector<DeviceId> all;
    for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
      all.emplace_back(i);
    }
    const std::vector<DeviceId> main_devices = MainDevices(problem);
    std::vector<std::vector<double>> ranks;
    if (means_ != "main_devices") {
      ranks.push_back(UpwardRanks(problem, transfers, all));
    }
    if (means_ == "main_devices" || (means_ == "both" && all != main_devices)) {
      ranks.push_back(UpwardRanks(problem, transfers, main_devices));
    }
    return ranks;
  }

  [[nodiscard]] std::vector<GroupDeviceRule> GroupRules(const env::Problem& problem) const {
    if (group_rule_ == "first_op") {
      return {GroupDeviceRule::kFirstOp};
    }
    const bool has_one_op_per_group = NumGroups(problem) == problem.graph().num_ops();
    if (group_rule_ == "whole_group" || has_one_op_per_group || !problem.tasks().placement) {
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

  std::string group_rule_;
  std::string means_;
  MemoryRule memory_rule_;
};

}  // namespace

AgentEntry HeftEntry() {
  return {.info = {.name = "heft",
                   .kind = AgentKind::kClassical,
                   .tasks = {"placement", "scheduling"},
                   .paper = "Topcuoglu, Hariri and Wu, IEEE TPDS 2002",
                   .summary = "List scheduling by upward rank, each op to the device where it ends "
                              "first, with insertion into idle gaps."},
          .make = [](Options& options) -> std::unique_ptr<Agent> {
            return std::make_unique<Heft>(options);
          }};
}

}  // namespace opyard::agents
