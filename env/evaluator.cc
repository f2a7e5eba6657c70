#include "env/evaluator.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "sim/engine/neighbours/run_history.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

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

// The plan whose neighbours were judged last, and its run once that pays.
struct Evaluator::Neighbourhood {
  sim::Plan plan;
  std::size_t num_judged = 0;  // neighbours of `plan`
  bool is_remembered = false;
  sim::RunHistory history;
};

namespace {

// A plan whose neighbours come one at a time is run for its states only after this many of them:
// a search that soon moves on would not get the time back.
constexpr std::size_t kNeighboursBeforeStates = 3;

Evaluation Scored(const Problem& problem, const sim::SimResult& result) {
  Evaluation evaluation{.result = result, .score = std::numeric_limits<double>::infinity()};
  if (evaluation.is_feasible()) {
    evaluation.score = Score(problem.objective(), problem.objective_scale(), result);
  }
  return evaluation;
}

}  // namespace

Evaluation Judge(const Problem& problem, const sim::Plan& plan, sim::Workspace& workspace) {
  return Scored(problem, problem.simulator().Run(plan, workspace));
}

Evaluator::Evaluator(std::shared_ptr<const Problem> problem, EvaluatorOptions options)
    : problem_(std::move(problem)),
      options_(std::move(options)),
      start_(std::chrono::steady_clock::now()),
      pool_(options_.num_threads),
      workspaces_(std::make_unique<Workspaces>(options_.num_threads)),
      neighbourhood_(std::make_unique<Neighbourhood>()) {}

Evaluator::~Evaluator() = default;

std::vector<Evaluation> Evaluator::Evaluate(std::span<const sim::Plan> plans) {
  return JudgeBatch(
      plans.size(),
      [&](std::size_t worker, std::size_t item) {
        return Judge(*problem_, plans[item], workspaces_->of_worker[worker]);
      },
      [&](std::size_t item) { return plans[item]; });
}

std::vector<Evaluation> Evaluator::EvaluateNeighbours(const sim::Plan& plan,
                                                      std::span<const Move> moves,
                                                      std::optional<double> cutoff) {
  const sim::Simulator& simulator = problem_->simulator();
  const SimTime limit = MakespanLimit(problem_->objective(),
                                      problem_->objective_scale(),
                                      cutoff.value_or(std::numeric_limits<double>::infinity()));
  const bool has_states = !is_done() && RemembersRun(plan, moves.size());
  const auto changed = [&](std::size_t item) {
    sim::Plan neighbour = plan;
    sim::Apply(moves[item], neighbour);
    return neighbour;
  };
  return JudgeBatch(
      moves.size(),
      [&](std::size_t worker, std::size_t item) {
        sim::Workspace& workspace = workspaces_->of_worker[worker];
        return Scored(*problem_,
                      has_states ? simulator.RunNeighbour(
                                       neighbourhood_->history, moves[item], limit, workspace)
                                 : simulator.RunUntil(changed(item), limit, workspace));
      },
      changed);
}

bool Evaluator::RemembersRun(const sim::Plan& plan, std::size_t num_neighbours) {
  Neighbourhood& near = *neighbourhood_;
  if (near.num_judged == 0 || near.plan != plan) {
    near.plan = plan;
    near.num_judged = 0;
    near.is_remembered = false;
  }
  near.num_judged += num_neighbours;
  const sim::Simulator& simulator = problem_->simulator();
  if (!near.is_remembered && near.num_judged > kNeighboursBeforeStates &&
      simulator.CanRememberStates(plan)) {
    static_cast<void>(simulator.Remember(plan, workspaces_->of_worker.front(), near.history));
    near.is_remembered = true;
  }
  return near.is_remembered;
}

std::vector<Evaluation> Evaluator::JudgeBatch(std::size_t most,
                                              const JudgeItem& judge,
                                              const MakePlan& make_plan) {
  const auto count = static_cast<std::size_t>(EvaluationsLeft(static_cast<std::int64_t>(most)));
  if (count == 0) {
    return {};
  }
  BatchResult batch(count);
  const std::size_t num_judged = pool_.ForEach(count, [&](std::size_t worker, std::size_t item) {
    try {
      batch.evaluations[item] = judge(worker, item);
    } catch (...) {
      batch.errors[item] = std::current_exception();
    }
    batch.seconds[item] = seconds();
    return batch.errors[item] == nullptr && !is_out_of_time();
  });
  Remember(batch, num_judged, make_plan);
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

void Evaluator::Remember(const BatchResult& batch,
                         std::size_t num_judged,
                         const MakePlan& make_plan) {
  for (std::size_t i = 0; i < num_judged; ++i) {
    if (batch.errors[i]) {
      std::rethrow_exception(batch.errors[i]);
    }
    Remember(batch.evaluations[i], batch.seconds[i], i, make_plan);
  }
}

void Evaluator::Remember(const Evaluation& evaluation,
                         double seconds,
                         std::size_t item,
                         const MakePlan& make_plan) {
  ++num_evaluations_;
  if (evaluation.is_cut_off()) {
    return;
  }
  if (!evaluation.is_feasible()) {
    ++num_failures_;
    RememberFailure(evaluation, item, make_plan);
    return;
  }
  const bool had_feasible = best_.has_value() && best_->evaluation.is_feasible();
  if (had_feasible && evaluation.score >= best_->evaluation.score) {
    return;
  }
  best_ = BestPlan{.plan = make_plan(item), .evaluation = evaluation};
  // Plans of one batch may end out of order; the history counts time as it counts plans.
  const double not_before = history_.empty() ? 0.0 : history_.back().seconds;
  history_.push_back(HistoryPoint{.evaluations = num_evaluations_,
                                  .seconds = std::max(seconds, not_before),
                                  .score = evaluation.score,
                                  .result = evaluation.result});
}

void Evaluator::RememberFailure(const Evaluation& evaluation,
                                std::size_t item,
                                const MakePlan& make_plan) {
  const bool is_longest =
      !best_.has_value() || (!best_->evaluation.is_feasible() &&
                             evaluation.result.makespan > best_->evaluation.result.makespan);
  if (is_longest) {
    best_ = BestPlan{.plan = make_plan(item), .evaluation = evaluation};
  }
}

}  // namespace opyard::env
