#include "agents/classical/framework_default/framework_default.h"

#include "agents/base/make_entry.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

class FrameworkDefault final : public Agent {
 public:
  explicit FrameworkDefault(NoSettings /*settings*/) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    sim::Plan plan = env::DefaultPlan(problem);
    if (problem.tasks().scheduling) {
      plan.queue = sim::QueueDiscipline::kFifo;
    }
    if (problem.tasks().fusion) {
      plan.fusion_priority.assign(problem.graph().num_ops(), 1);
    }
    evaluator.Evaluate(plan);
  }
};

}  // namespace

AgentEntry FrameworkDefaultEntry() {
  return MakeEntry<FrameworkDefault>(
      {.name = "framework_default",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling", "fusion"},
       .is_deterministic = true,
       .paper = "",
       .summary = "What a framework does by itself: everything on the first accelerator, first "
                  "come first served, fused wherever it may be."},
      OptionTable<NoSettings>());
}

}  // namespace opyard::agents
