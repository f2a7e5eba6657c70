// The progress of a search, from the thread that searches to the one that called it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "agents/base/search_curves.h"
#include "agents/base/search_run.h"
#include "env/evaluator.h"
#include "sim/plan/plan.h"

namespace opyard::bindings {

struct ProgressReport {
  std::int64_t evaluations = 0;
  std::int64_t failures = 0;
  double seconds = 0.0;                          // of the search
  std::vector<agents::HistoryRow> improvements;  // since the report before
  std::optional<agents::HistoryRow> best;        // the last improvement there is
  std::optional<sim::Plan> plan;                 // of `best`
};

// A report is made only where one was asked for, because it copies a plan.
class SearchProgress {
 public:
  // In the thread that searches, after each batch. A load of an atomic unless it is asked.
  void Update(const env::Evaluator& evaluator);

  // In the thread that called.
  void Ask() { is_asked_.store(true, std::memory_order_relaxed); }
  // The report, once it is made.
  [[nodiscard]] std::optional<ProgressReport> Take();
  // Reports the improvements since the last report, after the end of the search.
  [[nodiscard]] ProgressReport Last(const agents::SearchResult& result);

 private:
  std::atomic<bool> is_asked_ = false;
  std::mutex mutex_;  // guards the report
  std::optional<ProgressReport> report_;
  std::size_t num_reported_ = 0;  // improvements; of the thread that searches, while it does
};

}  // namespace opyard::bindings
