#include "env/evaluator.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "sim/engine/simulator.h"
#include "sim/engine/workspace.h"

namespace opyard::env {

// One workspace per thread of the pool.
struct Evaluator::Workspaces {
  explicit Workspaces(std::size_t count) : of_worker(count) {}
  std::vector<sim::Workspace> of_worker;
};

// What the threads write while they judge a batch; slot i belongs to plan i.
struct Evaluator::BatchResult {
  explicit BatchResult(std::size_t count) : evaluations(count), seconds(count), errors(count) {}
  std::vector<Evaluation> evaluations;
  std::vector<double> seconds;  // when it was judged
  std::vector<std::exception_ptr> errors;
};

Evaluation Judge(const Problem& problem, const sim::Plan& plan, sim::Workspace& workspace) {
  Evaluation evaluation{.result = problem.simulator().Run(plan, workspace),
                        .score = std::numeric_limits<double>::infinity()};
  if (evaluation.is_feasible()) {
    evaluation.score = Score(problem.objective(), problem.objective_scale(), evaluation.result);
  }
  return evaluation;
}

Evaluator::Evaluator(std::shared_ptr<const Problem> problem, EvaluatorOptions options)
    : problem_(std::move(problem)),
      options_(std::move(options)),
      start_(std::chrono::steady_clock::now()),
      pool_(options_.num_threads),
      workspaces_(std::make_unique<Workspaces>(options_.num_threads)) {}

Evaluator::~Evaluator() = default;

std::vector<Evaluation> Evaluator::Evaluate(std::span<const sim::Plan> plans) {
  const auto count =
      static_cast<std::size_t>(EvaluationsLeft(static_cast<std::int64_t>(plans.size())));
  if (count == 0) {
    return {};
  }
  BatchResult batch(count);
  const std::size_t num_judged = pool_.ForEach(count, [&](std::size_t worker, std::size_t item) {
    try {
      batch.evaluations[item] = Judge(*problem_, plans[item], workspaces_->of_worker[worker]);
    } catch (...) {
      batch.errors[item] = std::current_exception();
    }
    batch.seconds[item] = seconds();
    return batch.errors[item] == nullptr && !is_out_of_time();
  });
  Remember(plans, batch, num_judged);
  batch.evaluations.resize(num_judged);
  if (options_.on_progress) {
    options_.on_progress(*this);
  }
  return std::move(batch.evaluations);
}

std::optional<Evaluation> Evaluator::Evaluate(const sim::Plan& plan) {
  const std::vector<Evaluation> evaluations = Evaluate(std::span(&plan, 1));
  if (evaluations.empty()) {
    return std::nullopt;
  }
  return evaluations.front();
}

bool Evaluator::is_out_of_time() const {
  const bool is_interrupted = options_.interrupt != nullptr && options_.interrupt->is_raised();
  const auto& limit_s = options_.budget.seconds;
  return is_interrupted || (limit_s.has_value() && !(seconds() < *limit_s));
}

bool Evaluator::is_done() const {
  const auto& limit = options_.budget.evaluations;
  return (limit.has_value() && num_evaluations_ >= *limit) || is_out_of_time();
}

std::int64_t Evaluator::EvaluationsLeft(std::int64_t most) const {
  if (is_done()) {
    return 0;
  }
  const auto& limit = options_.budget.evaluations;
  return limit.has_value() ? std::min(most, *limit - num_evaluations_) : most;
}

double Evaluator::UsedShare() const {
  const Budget& budget = options_.budget;
  double share = 0.0;
  if (budget.evaluations.has_value()) {
    share = *budget.evaluations > 0
                ? static_cast<double>(num_evaluations_) / static_cast<double>(*budget.evaluations)
                : 1.0;
  }
  if (budget.seconds.has_value()) {
    share = std::max(share, *budget.seconds > 0.0 ? seconds() / *budget.seconds : 1.0);
  }
  return std::min(share, 1.0);
}

double Evaluator::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Evaluator::Remember(std::span<const sim::Plan> plans,
                         const BatchResult& batch,
                         std::size_t num_judged) {
  for (std::size_t i = 0; i < num_judged; ++i) {
    if (batch.errors[i]) {
      std::rethrow_exception(batch.errors[i]);
    }
    Remember(plans[i], batch.evaluations[i], batch.seconds[i]);
  }
}

void Evaluator::Remember(const sim::Plan& plan, const Evaluation& evaluation, double seconds) {
  ++num_evaluations_;
  if (!evaluation.is_feasible()) {
    ++num_failures_;
    RememberFailure(plan, evaluation);
    return;
  }
  const bool had_feasible = best_.has_value() && best_->evaluation.is_feasible();
  if (had_feasible && evaluation.score >= best_->evaluation.score) {
    return;
  }
  best_ = BestPlan{.plan = plan, .evaluation = evaluation};
  // Plans of one batch may end out of order; the history counts time as it counts plans.
  const double not_before = history_.empty() ? 0.0 : history_.back().seconds;
  history_.push_back(HistoryPoint{.evaluations = num_evaluations_,
                                  .seconds = std::max(seconds, not_before),
                                  .score = evaluation.score,
                                  .result = evaluation.result});
}

void Evaluator::RememberFailure(const sim::Plan& plan, const Evaluation& evaluation) {
  const bool is_longest =
      !best_.has_value() || (!best_->evaluation.is_feasible() &&
                             evaluation.result.makespan > best_->evaluation.result.makespan);
  if (is_longest) {
    best_ = BestPlan{.plan = plan, .evaluation = evaluation};
  }
}

}  // namespace opyard::env
