#include "experiments/matrix/hardness.h"

#include "agents/base/search_run.h"

namespace opyard::experiments {

bool IsHard(const std::shared_ptr<const env::Problem>& problem,
            const HardnessOptions& options,
            const agents::AgentRegistry& registry) {
  const auto search = [&](std::int64_t evaluations) {
    return agents::RunSearch({.problem = problem,
                              .agent = "brkga",
                              .seed = options.seed,
                              .budget = {.evaluations = evaluations},
                              .num_threads = options.num_threads,
                              .interrupt = options.interrupt},
                             registry);
  };
  const agents::SearchResult few = search(options.few_evaluations);
  const agents::SearchResult many = search(options.many_evaluations);
  if (few.was_interrupted || many.was_interrupted || !many.is_feasible()) {
    return false;
  }
  if (!few.is_feasible()) {
    return true;
  }
  const double before = few.best->evaluation.score;
  const double after = many.best->evaluation.score;
  return after < before && after <= (1.0 - options.least_gain) * before;
}

}  // namespace opyard::experiments
