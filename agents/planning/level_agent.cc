#include "agents/planning/level_agent.h"

#include <utility>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/evaluated_plan.h"
#include "agents/planning/encoding/random_decisions.h"
#include "agents/planning/level_starts.h"

namespace opyard::agents {

void LevelAgent::SearchLevels(const env::Problem& problem,
                              env::Evaluator& evaluator,
                              Rng& rng,
                              const SearchContext& context,
                              const LevelAgentOptions& options) const {
  if (HasOnePlan(problem)) {
    evaluator.Evaluate(ToPlan(problem, RandomDecisions(problem, options.num_levels, rng)));
    return;
  }
  const Levels levels(problem);
  std::vector<EvaluatedPlan> starts =
      EvaluateStarts(problem,
                     levels,
                     evaluator,
                     {.start = options.start, .num_levels = options.num_levels},
                     context,
                     rng);
  LevelSearch search(problem, levels, evaluator.options().budget, OnLevels(levels), context);
  search.AddElites(search.Race(std::move(starts), options.race_share, evaluator, rng));
  bool has_next = !evaluator.is_done();
  while (has_next) {
    env::Evaluator slice = LevelSlice(evaluator, levels.size() == 1 ? 1.0 : options.slice_share);
    search.SearchSlice(*BestPlanOf(evaluator), slice, rng);
    has_next = levels.size() > 1 && !evaluator.is_done();
  }
}

}  // namespace opyard::agents
