#include "agents/classical/random/random.h"

#include "agents/base/make_entry.h"
#include "agents/planning/common_options.h"
#include "agents/planning/decisions.h"
#include "agents/planning/random_decisions.h"

namespace opyard::agents {
namespace {

struct Settings {
  std::int64_t num_levels = kDefaultLevels;
  std::int64_t batch = 64;
};

OptionTable<Settings> RandomOptions() {
  return OptionTable<Settings>({LevelsRow(&Settings::num_levels),
                                {.name = "batch",
                                 .field = Whole(&Settings::batch, 1, 4096),
                                 .meaning = "plans that are judged at once"}});
}

class Random final : public Agent {
 public:
  explicit Random(const Settings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& /*context*/) override {
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(ToPlan(problem, RandomDecisions(problem, settings_.num_levels, rng)));
      return;
    }
    while (!evaluator.is_done()) {
      std::vector<sim::Plan> plans;
      for (std::int64_t i = evaluator.EvaluationsLeft(settings_.batch); i > 0; --i) {
        plans.push_back(ToPlan(problem, RandomDecisions(problem, settings_.num_levels, rng)));
      }
      evaluator.Evaluate(plans);
    }
  }

 private:
  Settings settings_;
};

}  // namespace

AgentEntry RandomEntry() {
  return MakeEntry<Random>(
      {.name = "random",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "",
       .summary =
           "Uniform random devices and priorities per group; the best of the budget counts."},
      RandomOptions());
}

}  // namespace opyard::agents
