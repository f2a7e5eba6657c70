#include "experiments/runner/runs/search.h"

#include <cmath>

#include "sim/base/check.h"
#include "sim/base/rng.h"

namespace opyard::experiments {
namespace {

TrainingRow RowOf(const agents::TrainingPoint& point, const env::Evaluator& evaluator) {
  TrainingRow row{.num_updates = point.num_updates,
                  .evaluations = evaluator.num_evaluations(),
                  .seconds = evaluator.seconds(),
                  .values = point.values};
  // A training that diverges must not end the experiment: the curve has a gap there.
  std::erase_if(row.values, [](const auto& item) { return !std::isfinite(item.second); });
  return row;
}

}  // namespace

SearchAnswer RunSearch(const SearchRequest& request, const agents::AgentRegistry& registry) {
  const std::unique_ptr<agents::Agent> agent =
      registry.Make(request.agent.name, request.agent.params);
  env::Evaluator evaluator(request.problem,
                           {.budget = request.budget,
                            .num_threads = request.num_threads,
                            .interrupt = request.interrupt,
                            .on_progress = request.on_progress});
  Rng rng(static_cast<std::uint64_t>(request.seed));
  std::vector<TrainingRow> training;
  const auto keep = [&](const agents::TrainingPoint& point) {
    OPYARD_CHECK(training.empty() || training.back().num_updates < point.num_updates,
                 "an agent tells of each update once, in order");
    training.push_back(RowOf(point, evaluator));
  };
  agent->Search(*request.problem, evaluator, rng, {.start = {}, .listener = keep});
  SearchAnswer answer{
      .best = evaluator.best(),
      .history = {},
      .training = std::move(training),
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
