#include "agents/classical/mopnr/mopnr.h"

#include "agents/base/make_entry.h"
#include "agents/planning/priority_rule.h"
#include "agents/planning/ranks.h"

namespace opyard::agents {
namespace {

class Mopnr final : public Agent {
 public:
  explicit Mopnr(NoSettings /*settings*/) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    EvaluatePriorityRule(problem, evaluator, [&](std::span<const DeviceId> /*placement*/) {
      return OpsToSink(problem.graph());
    });
  }
};

}  // namespace

AgentEntry MopnrEntry() {
  return MakeEntry<Mopnr>(
      {.name = "mopnr",
       .kind = AgentKind::kClassical,
       .tasks = {"scheduling"},
       .paper = "Haupt, OR Spektrum 1989",
       .summary =
           "Of the ready ops on a device, the one with most ops on its path to a sink runs first.",
       .deviations = {"A job of the paper is a chain; here its remaining ops are those of the path "
                      "that has most.",
                      "Of a fused kernel the op with most remaining counts."}},
      OptionTable<NoSettings>());
}

}  // namespace opyard::agents
