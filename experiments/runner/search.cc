#include "experiments/runner/search.h"

#include "sim/base/rng.h"

namespace opyard::experiments {

SearchAnswer RunSearch(const SearchRequest& request, const agents::AgentRegistry& registry) {
  const std::unique_ptr<agents::Agent> agent =
      registry.Make(request.agent.name, request.agent.params);
  env::Evaluator evaluator(request.problem,
                           {.budget = request.budget,
                            .num_threads = request.num_threads,
                            .interrupt = request.interrupt,
                            .on_progress = request.on_progress});
  Rng rng(static_cast<std::uint64_t>(request.seed));
  agent->Search(*request.problem, evaluator, rng);
  SearchAnswer answer{
      .best = evaluator.best(),
      .history = {},
      .evaluations = evaluator.num_evaluations(),
      .failures = evaluator.num_failures(),
      .seconds = evaluator.seconds(),
      .was_interrupted = request.interrupt != nullptr && request.interrupt->is_raised()};
  for (const env::HistoryPoint& point : evaluator.history()) {
    answer.history.push_back({.evaluations = point.evaluations,
                              .seconds = point.seconds,
                              .score = point.score,
                              .makespan = point.result.makespan});
  }
  return answer;
}

}  // namespace opyard::experiments
