#include "env/search_record.h"

#include <algorithm>

namespace opyard::env {

void SearchRecord::Add(const Evaluation& evaluation,
                       double seconds,
                       const std::function<sim::Plan()>& make_plan) {
  ++num_evaluations_;
  if (evaluation.is_cut_off()) {
    return;
  }
  if (!evaluation.is_feasible()) {
    AddFailure(evaluation, make_plan);
    return;
  }
  const bool had_feasible = best_.has_value() && best_->evaluation.is_feasible();
  if (had_feasible && evaluation.score >= best_->evaluation.score) {
    return;
  }
  best_ = BestPlan{.plan = make_plan(), .evaluation = evaluation};
  // Plans of one batch may end out of order; the history counts time as it counts plans.
  const double not_before = history_.empty() ? 0.0 : history_.back().seconds;
  history_.push_back(HistoryPoint{.evaluations = num_evaluations_,
                                  .seconds = std::max(seconds, not_before),
                                  .score = evaluation.score,
                                  .result = evaluation.result});
}

void SearchRecord::AddFailure(const Evaluation& evaluation,
                              const std::function<sim::Plan()>& make_plan) {
  ++num_failures_;
  const bool is_longest =
      !best_.has_value() || (!best_->evaluation.is_feasible() &&
                             evaluation.result.makespan > best_->evaluation.result.makespan);
  if (is_longest) {
    best_ = BestPlan{.plan = make_plan(), .evaluation = evaluation};
  }
}

}  // namespace opyard::env
