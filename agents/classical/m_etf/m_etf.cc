#include "agents/classical/m_etf/m_etf.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/classical/m_etf/earliest_start_schedule.h"
#include "agents/planning/decisions.h"
#include "agents/planning/memory_placement.h"
#include "agents/planning/memory_rule.h"
#include "agents/planning/priority_rule.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

class MEtf final : public Agent {
 public:
  explicit MEtf(NoSettings /*settings*/) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    EvaluateWithMemoryRule(
        MemoryRule::kOn, problem, evaluator, [&](std::optional<double> memory_share) {
          return Plans(problem, transfers, memory_share.value_or(1.0));
        });
    EvaluateBySizeUnlessFeasible(problem, evaluator);
  }

 private:
  static std::vector<sim::Plan> Plans(const env::Problem& problem,
                                      const TransferTimes& transfers,
                                      double memory_share) {
    const EarliestStartSchedule schedule =
        BuildEarliestStartSchedule(problem, transfers, memory_share);
    Decisions decisions;
    if (problem.tasks().placement) {
      decisions.device_of_group = schedule.device_of_group;
    }
    std::vector<sim::Plan> plans{ToPlan(problem, decisions)};
    if (problem.tasks().scheduling) {
      plans.push_back(plans.front());
      env::SetPriorities(plans.front(), PrioritiesOfOrder(schedule.order));
    }
    return plans;
  }
};

}  // namespace

AgentEntry MEtfEntry() {
  return MakeEntry<MEtf>(
      {.name = "m_etf",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Jeon et al., SoCC 2020",
       .summary = "Earliest task first: repeatedly the ready op and device with the earliest start "
                  "among the devices with room.",
       .deviations =
           {"The devices are those of the main kind, and others for what may not be there or finds "
            "no room.",
            "Variables and constants have no start of their own: they go with the first op that "
            "reads them.",
            "The first op of a group decides for all of it.",
            "Copies and workspace count as memory. Where nothing finds room, the first ready op "
            "runs where there is most; limits of 0.85 and 0.7 of the memory follow, and groups "
            "spread by falling bytes.",
            "The paper only places. Where scheduling is a task, the order in which ops were chosen "
            "becomes the priorities; the problem's default queue is judged as well."}},
      OptionTable<NoSettings>());
}

}  // namespace opyard::agents
