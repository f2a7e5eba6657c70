#include "agents/classical/spt/spt.h"

#include "agents/base/make_entry.h"
#include "agents/planning/priority_rule.h"

namespace opyard::agents {
namespace {

class Spt final : public Agent {
 public:
  explicit Spt(NoSettings /*settings*/) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    EvaluatePriorityRule(problem, evaluator, [&](std::span<const DeviceId> placement) {
      std::vector<double> key;
      for (std::size_t i = 0; i < placement.size(); ++i) {
        key.push_back(-problem.costs().time(OpId(i), placement[i]).seconds());
      }
      return key;
    });
  }
};

}  // namespace

AgentEntry SptEntry() {
  return MakeEntry<Spt>(
      {.name = "spt",
       .kind = AgentKind::kClassical,
       .tasks = {"scheduling"},
       .paper = "Haupt, OR Spektrum 1989",
       .summary = "Of the ready ops on a device, the one that takes least time runs first.",
       .deviations = {"Of a fused kernel the shortest op counts."}},
      OptionTable<NoSettings>());
}

}  // namespace opyard::agents
