#include "agents/classical/critical_path/critical_path.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/planning/decisions.h"
#include "agents/planning/list_schedule.h"
#include "agents/planning/memory_rule.h"
#include "agents/planning/priority_rule.h"
#include "agents/planning/ranks.h"

namespace opyard::agents {
namespace {

struct Settings {
  MemoryRule memory_rule = MemoryRule::kAuto;
};

class CriticalPath final : public Agent {
 public:
  explicit CriticalPath(const Settings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    EvaluateWithMemoryRule(
        settings_.memory_rule, problem, evaluator, [&](std::optional<double> memory_share) {
          return Plans(problem, transfers, memory_share);
        });
  }

 private:
  static std::vector<sim::Plan> Plans(const env::Problem& problem,
                                      const TransferTimes& transfers,
                                      std::optional<double> memory_share) {
    Decisions decisions;
    if (problem.tasks().placement) {
      const std::vector<double> paths = MeanPathsToSink(problem, MainDevices(problem));
      const ListScheduleOptions options{.gaps = GapRule::kAppend, .memory_share = memory_share};
      decisions.device_of_group =
          BuildListSchedule(problem, transfers, paths, options).device_of_group;
    }
    std::vector<sim::Plan> plans{ToPlan(problem, decisions)};
    if (problem.tasks().scheduling) {
      for (const EdgeTimes edge_times : {EdgeTimes::kIgnored, EdgeTimes::kCounted}) {
        const sim::Plan plan = plans.front();
        const auto paths = PathsToSink(problem, transfers, plan.placement, edge_times);
        AddPlanWithPriorities(plan, paths, plans);
      }
    }
    return plans;
  }

  Settings settings_;
};

}  // namespace

AgentEntry CriticalPathEntry() {
  return MakeEntry<CriticalPath>(
      {.name = "critical_path",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Graham, SIAM J. Appl. Math. 1969",
       .summary = "List scheduling with the longest path to a sink as priority.",
       .deviations =
           {"Devices differ in speed: paths are sums of mean costs over the devices of the "
            "main kind, and an op goes where it ends first.",
            "A group of several ops goes to one device as a whole.",
            "Where scheduling is a task, the longest paths over the placement become the "
            "priorities, once without and once with transfers; the problem's default "
            "queue is judged as well.",
            "The paper has no memory; capacity_test adds it."}},
      OptionTable<Settings>({MemoryRuleRow(&Settings::memory_rule)}));
}

}  // namespace opyard::agents
