#include "bindings/search_progress.h"

#include <cstddef>
#include <utility>

#include "env/plan_queue.h"

namespace opyard::bindings {
namespace {

// Its seconds are those of the evaluator, not those of the search.
agents::HistoryRow RowOf(const env::HistoryPoint& point) {
  return {.evaluations = point.evaluations,
          .seconds = point.seconds,
          .score = point.score,
          .makespan = point.result.makespan};
}

}  // namespace

void SearchProgress::Update(const env::Evaluator& evaluator) {
  if (!is_asked_.load(std::memory_order_relaxed)) {
    return;
  }
  is_asked_.store(false, std::memory_order_relaxed);
  ProgressReport report{.evaluations = evaluator.num_evaluations(),
                        .failures = evaluator.num_failures(),
                        .seconds = evaluator.seconds()};
  const std::vector<env::HistoryPoint>& history = evaluator.history();
  for (; num_reported_ < history.size(); ++num_reported_) {
    report.improvements.push_back(RowOf(history[num_reported_]));
  }
  if (!history.empty()) {
    report.best = RowOf(history.back());
    report.plan = env::InStreamsOf(evaluator.problem(), evaluator.best()->plan);
  }
  const std::scoped_lock lock(mutex_);
  report_ = std::move(report);
}

std::optional<ProgressReport> SearchProgress::Take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(report_, std::nullopt);
}

ProgressReport SearchProgress::Last(const agents::SearchResult& result) {
  ProgressReport last{
      .evaluations = result.evaluations, .failures = result.failures, .seconds = result.seconds};
  if (const std::optional<ProgressReport> left = Take()) {
    last.improvements = left->improvements;
  }
  last.improvements.insert(last.improvements.end(),
                           result.history.begin() + static_cast<std::ptrdiff_t>(num_reported_),
                           result.history.end());
  if (!result.history.empty()) {
    last.best = result.history.back();
    last.plan = result.best->plan;
  }
  return last;
}

}  // namespace opyard::bindings
