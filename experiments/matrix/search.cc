#include "experiments/matrix/search.h"

#include <cmath>
#include <string>
#include <utility>

#include "agents/base/agent_failure.h"
#include "experiments/matrix/stopwatch.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"

namespace opyard::experiments {
namespace {

TrainingRow RowOf(const agents::TrainingPoint& point,
                  const env::Evaluator& evaluator,
                  double seconds) {
  TrainingRow row{.num_updates = point.num_updates,
                  .evaluations = evaluator.num_evaluations(),
                  .seconds = seconds,
                  .values = point.values};
  // A training that diverges must not end the experiment: the curve has a gap there.
  std::erase_if(row.values, [](const auto& item) { return !std::isfinite(item.second); });
  return row;
}

// `making_s` is what went by before the evaluator began to count.
std::vector<HistoryRow> RowsOf(const std::vector<env::HistoryPoint>& history, double making_s) {
  std::vector<HistoryRow> rows;
  for (const env::HistoryPoint& point : history) {
    rows.push_back({.evaluations = point.evaluations,
                    .seconds = making_s + point.seconds,
                    .score = point.score,
                    .makespan = point.result.makespan});
  }
  return rows;
}

}  // namespace

env::Reference ReferenceOf(const env::BestPlan& best) {
  OPYARD_CHECK(best.evaluation.is_feasible(), "only what completes is a measure");
  return {.makespan = best.evaluation.result.makespan, .score = best.evaluation.score};
}

SearchAnswer RunSearch(const SearchRequest& request, const agents::AgentRegistry& registry) {
  const Stopwatch watch;
  const std::unique_ptr<agents::Agent> agent =
      registry.Make(request.agent.name, request.agent.params);
  const double making_s = watch.seconds();
  env::Evaluator evaluator(request.problem,
                           {.budget = request.budget,
                            .num_threads = request.num_threads,
                            .interrupt = request.interrupt,
                            .on_progress = request.on_progress});
  Rng rng(static_cast<std::uint64_t>(request.seed));
  std::vector<TrainingRow> training;
  const auto keep = [&](const agents::TrainingPoint& point) {
    OPYARD_CHECK(training.empty() || training.back().num_updates < point.num_updates,
                 "an agent reports each update once, in order");
    training.push_back(RowOf(point, evaluator, watch.seconds()));
  };
  std::string account;
  const auto report = [&](const std::string& what) { account = what; };
  double others_cpu_s = 0.0;
  const auto add_cpu = [&](double seconds) { others_cpu_s += seconds; };
  std::string failure;
  try {
    agent->Search(*request.problem,
                  evaluator,
                  rng,
                  {.start = {}, .listener = keep, .report = report, .add_cpu_seconds = add_cpu});
  } catch (const agents::AgentFailure& error) {
    failure = error.what();
  }
  return {.best = evaluator.best(),
          .history = RowsOf(evaluator.history(), making_s),
          .training = std::move(training),
          .evaluations = evaluator.num_evaluations(),
          .failures = evaluator.num_failures(),
          .seconds = watch.seconds(),
          .cpu_seconds = watch.cpu_seconds() + evaluator.cpu_seconds() + others_cpu_s,
          .account = std::move(account),
          .was_interrupted = request.interrupt != nullptr && request.interrupt->is_raised(),
          .failure = std::move(failure)};
}

}  // namespace opyard::experiments
