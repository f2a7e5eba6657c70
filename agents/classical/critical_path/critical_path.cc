#include "agents/classical/critical_path/critical_path.h"

#include <optional>

#include "agents/planning/decisions.h"
#include "agents/planning/list_schedule.h"
#include "agents/planning/memory_rule.h"
#include "agents/planning/ranks.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

class CriticalPath final : public Agent {
 public:
  explicit CriticalPath(Options& options) : memory_rule_(ReadMemoryRule(options)) {}

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
        sim::Plan plan = plans.front();
        const auto paths = PathsToSink(problem, transfers, plan.placement, edge_times);
        env::SetPriorities(plan, env::RanksOf(paths));
        AddUnlessPresent(plans, std::move(plan));
      }
    }
    return plans;
  }

  MemoryRule memory_rule_;
};

}  // namespace

AgentEntry CriticalPathEntry() {
  return {.info = {.name = "critical_path",
                   .kind = AgentKind::kClassical,
                   .tasks = {"placement", "scheduling"},
                   .paper = "Graham, SIAM J. Appl. Math. 1969",
                   .summary = "List scheduling with the longest path to a sink as priority."},
          .make = [](Options& options) -> std::unique_ptr<Agent> {
            return std::make_unique<CriticalPath>(options);
          }};
}

}  // namespace opyard::agents
