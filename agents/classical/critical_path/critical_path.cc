#include "agents/classical/critical_path/critical_path.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "agents/planning/list_scheduling/priority_rule.h"

namespace opyard::agents {
namespace {

struct CriticalPathSettings {
  Awareness awareness = Awareness::kPublished;
  MemoryRule memory_rule = MemoryRule::kOff;
};

OptionTable<CriticalPathSettings> CriticalPathOptions() {
  return OptionTable<CriticalPathSettings>({MemoryRuleRow(&CriticalPathSettings::memory_rule)});
}

class CriticalPath final : public Agent {
 public:
  explicit CriticalPath(const CriticalPathSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = OpTimesFor(settings_.awareness, problem);
    EvaluateSchedules(settings_.awareness,
                      settings_.memory_rule,
                      problem,
                      evaluator,
                      {[&](const ScheduleView& view,
                           std::optional<double> memory_share,
                           std::vector<sim::Plan>& plans) {
                        AddPlans(problem,
                                 transfers,
                                 {.gaps = GapRule::kAppend,
                                  .memory_share = memory_share,
                                  .transfers = view.transfers,
                                  .times = &times,
                                  .devices = view.devices},
                                 plans);
                      }});
  }

 private:
  static void AddPlans(const env::Problem& problem,
                       const TransferTimes& transfers,
                       const ListScheduleOptions& options,
                       std::vector<sim::Plan>& plans) {
    Decisions decisions;
    if (problem.tasks().placement) {
      const std::vector<double> paths = MeanPathsToSink(problem, MainDevices(problem));
      decisions.device_of_group =
          BuildListSchedule(problem, transfers, paths, options).device_of_group;
    }
    const sim::Plan plan = ToPlan(problem, decisions);
    AddUnlessPresent(plans, plan);
    if (problem.tasks().scheduling) {
      for (const EdgeTimes edge_times : {EdgeTimes::kIgnored, EdgeTimes::kCounted}) {
        const auto paths = PathsToSink(problem, transfers, plan.placement, edge_times);
        AddPlanWithPriorities(plan, paths, plans);
      }
    }
  }

  CriticalPathSettings settings_;
};

AgentInfo CriticalPathInfo() {
  return {.name = "critical_path",
          .kind = AgentKind::kClassical,
          .tasks = {"placement", "scheduling"},
          .is_deterministic = true,
          .paper = "Graham, SIAM J. Appl. Math. 1969",
          .summary = "List scheduling with the longest path to a sink as priority.",
          .deviations = {
              "Devices differ in speed: paths are sums of mean costs over the devices of the "
              "main kind, and an op goes where it ends first.",
              "A group of several ops goes to one device as a whole.",
              "Where scheduling is a task, the longest paths over the placement become the "
              "priorities, once without and once with transfers; the problem's default "
              "queue is evaluated as well."}};
}

}  // namespace

AgentEntry CriticalPathEntry() {
  return MakeEntry<CriticalPath>(CriticalPathInfo(), CriticalPathOptions());
}

AgentEntry CriticalPathAwareEntry() {
  return MakeEntry<CriticalPath>(
      AwareInfo(CriticalPathInfo(), kAwareListScheduling),
      CriticalPathOptions().WithDefaults(
          {.awareness = Awareness::kAware, .memory_rule = MemoryRule::kAuto}));
}

}  // namespace opyard::agents
