#include "agents/classical/random/random.h"

#include "agents/planning/decisions.h"
#include "agents/planning/random_decisions.h"

namespace opyard::agents {
namespace {

class Random final : public Agent {
 public:
  explicit Random(Options& options)
      : num_levels_(options.Int("levels", 20, 1, 1'000'000)),
        batch_(options.Int("batch", 64, 1, 4096)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const TrainingListener& /*listener*/) override {
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(ToPlan(problem, RandomDecisions(problem, num_levels_, rng)));
      return;
    }
    while (!evaluator.is_done()) {
      std::vector<sim::Plan> plans;
      for (std::int64_t i = evaluator.EvaluationsLeft(batch_); i > 0; --i) {
        plans.push_back(ToPlan(problem, RandomDecisions(problem, num_levels_, rng)));
      }
      evaluator.Evaluate(plans);
    }
  }

 private:
  std::int64_t num_levels_;
  std::int64_t batch_;
};

}  // namespace

AgentEntry RandomEntry() {
  return {.info = {.name = "random",
                   .kind = AgentKind::kClassical,
                   .tasks = {"placement", "scheduling", "fusion"},
                   .paper = "",
                   .summary = "Uniform random devices and priorities per group; the best of the "
                              "budget counts."},
          .make = [](Options& options) -> std::unique_ptr<Agent> {
            return std::make_unique<Random>(options);
          }};
}

}  // namespace opyard::agents
