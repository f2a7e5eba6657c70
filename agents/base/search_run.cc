#include "agents/base/search_run.h"

#include <cmath>
#include <string>
#include <utility>

#include "agents/base/agent_failure.h"
#include "env/plan_queue.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"
#include "sim/base/stopwatch.h"

namespace opyard::agents {
namespace {

TrainingRow RowOf(const TrainingPoint& point, const env::Evaluator& evaluator, double seconds) {
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

// As devices run it.
std::optional<env::BestPlan> BestInQueue(const env::Evaluator& evaluator) {
  std::optional<env::BestPlan> best = evaluator.best();
  if (best.has_value()) {
    best->plan = env::InStreamsOf(evaluator.problem(), best->plan);
  }
  return best;
}

}  // namespace

std::optional<env::Reference> SearchResult::reference() const {
  if (!is_feasible()) {
    return std::nullopt;
  }
  return env::Reference{.makespan = best->evaluation.result.makespan,
                        .score = best->evaluation.score};
}

SearchResult RunSearch(const SearchRequest& request, const AgentRegistry& registry) {
  const Stopwatch watch;
  const std::unique_ptr<Agent> agent = registry.Make(request.agent, request.params);
  const double making_s = watch.seconds();
  env::Evaluator evaluator(request.problem,
                           {.budget = request.budget,
                            .num_threads = request.num_threads,
                            .interrupt = request.interrupt,
                            .on_progress = request.on_progress});
  Rng rng(static_cast<std::uint64_t>(request.seed));
  std::vector<TrainingRow> training;
  const auto keep = [&](const TrainingPoint& point) {
    OPYARD_CHECK(training.empty() || training.back().num_updates < point.num_updates,
                 "an agent reports each update once, in order");
    training.push_back(RowOf(point, evaluator, watch.seconds()));
    if (request.on_update) {
      request.on_update(evaluator, training.back());
    }
  };
  std::string account;
  const auto report = [&](const std::string& what) { account = what; };
  std::optional<double> bound;
  const auto prove = [&](double score) { bound = score; };
  double others_cpu_s = 0.0;
  const auto add_cpu = [&](double seconds) { others_cpu_s += seconds; };
  std::string failure;
  try {
    agent->Search(*request.problem,
                  evaluator,
                  rng,
                  {.start = {},
                   .listener = keep,
                   .report = report,
                   .prove = prove,
                   .add_cpu_seconds = add_cpu});
  } catch (const AgentFailure& error) {
    failure = error.what();
  }
  return {.best = BestInQueue(evaluator),
          .history = RowsOf(evaluator.history(), making_s),
          .training = std::move(training),
          .evaluations = evaluator.num_evaluations(),
          .failures = evaluator.num_failures(),
          .seconds = watch.seconds(),
          .cpu_seconds = watch.cpu_seconds() + evaluator.cpu_seconds() + others_cpu_s,
          .account = std::move(account),
          .bound = bound,
          .was_interrupted = request.interrupt != nullptr && request.interrupt->is_raised(),
          .failure = std::move(failure)};
}

}  // namespace opyard::agents
