// The record of a search so far: counts, the best plan, and the history of improvements.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "env/evaluation.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::env {

// The best plan so far improved: `evaluations` includes the one that did it.
struct HistoryPoint {
  std::int64_t evaluations = 0;
  double seconds = 0.0;
  double score = 0.0;
  sim::SimResult result;
};

struct BestPlan {
  sim::Plan plan;
  Evaluation evaluation;
};

class SearchRecord {
 public:
  // Counts one evaluation, evaluated `seconds` after the search began; `make_plan` makes its plan,
  // if that is to be kept.
  void Add(const Evaluation& evaluation,
           double seconds,
           const std::function<sim::Plan()>& make_plan);

  [[nodiscard]] std::int64_t num_evaluations() const { return num_evaluations_; }
  // Evaluations that did not complete (out of memory, deadlock).
  [[nodiscard]] std::int64_t num_failures() const { return num_failures_; }
  // The feasible plan with the least score, the earlier of equals; while none is feasible, the plan
  // that ran longest before it stopped. Nothing before the first evaluation.
  [[nodiscard]] const std::optional<BestPlan>& best() const { return best_; }
  // Each improvement of best() among feasible plans, in order.
  [[nodiscard]] const std::vector<HistoryPoint>& history() const { return history_; }

 private:
  void AddFailure(const Evaluation& evaluation, const std::function<sim::Plan()>& make_plan);

  std::int64_t num_evaluations_ = 0;
  std::int64_t num_failures_ = 0;
  std::optional<BestPlan> best_;
  std::vector<HistoryPoint> history_;
};

}  // namespace opyard::env
