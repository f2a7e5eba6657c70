#include "env/evaluator.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "env/plan_queue.h"
#include "sim/base/check.h"
#include "sim/engine/incremental/run_history.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::env {
namespace {

// A plan whose neighbours come one at a time is run for its states only after this many of them:
// a search that soon moves on would not get the time back.
constexpr std::size_t kNeighboursBeforeStates = 3;

template <class T>
std::optional<T> Least(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() && b.has_value() ? std::min(*a, *b) : (a.has_value() ? a : b);
}

}  // namespace

// The means of evaluation, which change no result: an evaluator and its slices share them.
struct Evaluator::Machinery {
  // The plan whose neighbours were evaluated last, and its run once that pays.
  struct Neighbourhood {
    sim::Plan plan;
    std::size_t num_evaluated = 0;  // neighbours of `plan`
    bool is_remembered = false;
    sim::RunHistory history;
  };

  explicit Machinery(const EvaluatorOptions& options)
      : pool(options.pool != nullptr ? options.pool
                                     : std::make_shared<ThreadPool>(options.num_threads)),
        workspace_of_worker(pool->num_threads()) {}

  std::shared_ptr<ThreadPool> pool;
  std::vector<sim::Workspace> workspace_of_worker;
  Neighbourhood near;
};

// The results that the threads write while they evaluate a batch; slot i belongs to plan i.
struct Evaluator::BatchResult {
  explicit BatchResult(std::size_t count) : evaluations(count), times(count), errors(count) {}

  // The number of the first `count` that come before the first error.
  [[nodiscard]] std::size_t NumWithoutError(std::size_t count) const {
    const auto end = errors.begin() + static_cast<std::ptrdiff_t>(count);
    return static_cast<std::size_t>(
        std::find_if(errors.begin(), end, [](const auto& error) { return error != nullptr; }) -
        errors.begin());
  }

  std::vector<Evaluation> evaluations;
  std::vector<Clock::time_point> times;  // when it was evaluated
  std::vector<std::exception_ptr> errors;
};

Evaluator::Evaluator(std::shared_ptr<const Problem> problem, EvaluatorOptions options)
    : problem_(std::move(problem)),
      options_(std::move(options)),
      start_(Clock::now()),
      machinery_(std::make_shared<Machinery>(options_)) {}

Evaluator::Evaluator(Evaluator& outer, const Budget& part)
    : problem_(outer.problem_),
      options_{.budget = part,
               .num_threads = outer.options_.num_threads,
               .pool = outer.options_.pool,
               .interrupt = outer.options_.interrupt,
               .on_progress = {},
               .on_evaluation = {}},
      outer_(&outer),
      start_(Clock::now()),
      machinery_(outer.machinery_) {
  const Budget& whole = outer.options_.budget;
  if (whole.evaluations.has_value()) {
    options_.budget.evaluations =
        Least(part.evaluations, std::optional(*whole.evaluations - outer.num_evaluations()));
  }
  if (whole.seconds.has_value()) {
    options_.budget.seconds =
        Least(part.seconds, std::optional(std::max(*whole.seconds - outer.SecondsAt(start_), 0.0)));
  }
}

Evaluator::~Evaluator() = default;

Evaluator Evaluator::Slice(const Budget& part) {
  return {*this, part};
}

Evaluator Evaluator::Slice(double share) {
  OPYARD_CHECK(share >= 0.0 && share <= 1.0, "a slice is a share of its budget");
  const Budget& whole = options_.budget;
  Budget part;
  if (whole.evaluations.has_value()) {
    part.evaluations = static_cast<std::int64_t>(share * static_cast<double>(*whole.evaluations));
  }
  if (whole.seconds.has_value()) {
    part.seconds = share * *whole.seconds;
  }
  return Slice(part);
}

std::vector<Evaluation> Evaluator::Evaluate(std::size_t count, const MakePlan& make_plan) {
  return EvaluateBatch(
      count,
      [&](std::size_t worker, std::size_t item) {
        return EvaluateUncounted(
            *problem_, make_plan(item), machinery_->workspace_of_worker[worker]);
      },
      make_plan);
}

std::vector<Evaluation> Evaluator::Evaluate(std::span<const sim::Plan> plans) {
  return EvaluateBatch(
      plans.size(),
      [&](std::size_t worker, std::size_t item) {
        return EvaluateUncounted(*problem_, plans[item], machinery_->workspace_of_worker[worker]);
      },
      [&](std::size_t item) { return plans[item]; });
}

std::optional<Evaluation> Evaluator::Evaluate(const sim::Plan& plan) {
  const std::vector<Evaluation> evaluations = Evaluate(std::span(&plan, 1));
  if (evaluations.empty()) {
    return std::nullopt;
  }
  return evaluations.front();
}

std::optional<sim::SimReport> Evaluator::EvaluateDetailed(const sim::Plan& plan) {
  std::optional<sim::SimReport> report;
  static_cast<void>(EvaluateBatch(
      1,
      [&](std::size_t worker, std::size_t) {
        report = problem_->simulator().RunReport(InQueueOf(*problem_, plan),
                                                 machinery_->workspace_of_worker[worker]);
        return EvaluationOf(*problem_, report->result);
      },
      [&](std::size_t) { return plan; }));
  return report;
}

std::vector<Evaluation> Evaluator::EvaluateNeighbours(const sim::Plan& plan,
                                                      std::span<const Move> moves,
                                                      std::optional<double> cutoff) {
  const sim::Simulator& simulator = problem_->simulator();
  const SimTime limit = LimitOf(cutoff);
  // A move may change what is nearest in the network's order, and with it any device.
  const bool is_local = problem_->contiguity() == nullptr;
  const bool runs_as_given = is_local && RunsAsGiven(*problem_, plan);
  std::optional<sim::Plan> program;  // a move of `plan` is the same move of it
  if (is_local && !runs_as_given && !AsksForOrder(*problem_)) {
    program = InQueueOf(*problem_, plan);
  }
  const bool has_states = (runs_as_given || program.has_value()) && !is_done() &&
                          RemembersRun(program.has_value() ? *program : plan, moves.size());
  const auto changed = [&](std::size_t item) {
    sim::Plan neighbour = plan;
    sim::Apply(moves[item], neighbour);
    return neighbour;
  };
  return EvaluateBatch(
      moves.size(),
      [&](std::size_t worker, std::size_t item) {
        sim::Workspace& workspace = machinery_->workspace_of_worker[worker];
        return EvaluationOf(
            *problem_,
            has_states
                ? simulator.ResimulateFrom(machinery_->near.history, moves[item], limit, workspace)
                : simulator.RunUntil(
                      runs_as_given ? changed(item) : InQueueOf(*problem_, changed(item)),
                      limit,
                      workspace));
      },
      changed);
}

std::vector<Evaluation> Evaluator::EvaluateNeighbours(const sim::Plan& plan,
                                                      std::span<const sim::Plan> neighbours,
                                                      std::optional<double> cutoff) {
  const sim::Simulator& simulator = problem_->simulator();
  const SimTime limit = LimitOf(cutoff);
  const bool is_local = problem_->contiguity() == nullptr;
  const bool has_states = is_local && RunsAsGiven(*problem_, plan) && !is_done() &&
                          RemembersRun(plan, neighbours.size());
  return EvaluateBatch(
      neighbours.size(),
      [&](std::size_t worker, std::size_t item) {
        const sim::Plan& neighbour = neighbours[item];
        sim::Workspace& workspace = machinery_->workspace_of_worker[worker];
        const bool runs_as_given = RunsAsGiven(*problem_, neighbour);
        return EvaluationOf(
            *problem_,
            has_states && runs_as_given
                ? simulator.ResimulateFrom(machinery_->near.history, neighbour, limit, workspace)
                : simulator.RunUntil(runs_as_given ? neighbour : InQueueOf(*problem_, neighbour),
                                     limit,
                                     workspace));
      },
      [&](std::size_t item) { return neighbours[item]; });
}

SimTime Evaluator::LimitOf(std::optional<double> cutoff) const {
  return MakespanLimit(problem_->objective(),
                       problem_->objective_scale(),
                       cutoff.value_or(std::numeric_limits<double>::infinity()));
}

bool Evaluator::RemembersRun(const sim::Plan& plan, std::size_t num_neighbours) {
  Machinery::Neighbourhood& near = machinery_->near;
  if (near.num_evaluated == 0 || near.plan != plan) {
    near.plan = plan;
    near.num_evaluated = 0;
    near.is_remembered = false;
  }
  near.num_evaluated += num_neighbours;
  const sim::Simulator& simulator = problem_->simulator();
  if (!near.is_remembered && near.num_evaluated > kNeighboursBeforeStates &&
      simulator.SupportsCheckpoints(plan)) {
    static_cast<void>(
        simulator.RunWithCheckpoints(plan, machinery_->workspace_of_worker.front(), near.history));
    near.is_remembered = true;
  }
  return near.is_remembered;
}

std::vector<Evaluation> Evaluator::EvaluateBatch(std::size_t most,
                                                 const EvaluateItem& evaluate,
                                                 const MakePlan& make_plan) {
  const auto count = static_cast<std::size_t>(EvaluationsLeft(static_cast<std::int64_t>(most)));
  if (count == 0) {
    return {};
  }
  BatchResult batch(count);
  const auto evaluate_one = [&](std::size_t worker, std::size_t item) {
    try {
      batch.evaluations[item] = evaluate(worker, item);
    } catch (...) {
      batch.errors[item] = std::current_exception();
    }
    batch.times[item] = Clock::now();
    return batch.errors[item] == nullptr && !is_out_of_time();
  };
  const std::size_t num_taken = machinery_->pool->ForEach(count, evaluate_one);
  const std::size_t num_evaluated = batch.NumWithoutError(num_taken);
  Remember(batch, num_evaluated, make_plan);
  if (num_evaluated < num_taken) {
    std::rethrow_exception(batch.errors[num_evaluated]);
  }
  batch.evaluations.resize(num_evaluated);
  return std::move(batch.evaluations);
}

void Evaluator::Remember(const BatchResult& batch,
                         std::size_t num_evaluated,
                         const MakePlan& make_plan) {
  const auto plan_of = [&](std::size_t item) { return AsAsked(*problem_, make_plan(item)); };
  for (std::size_t item = 0; item < num_evaluated; ++item) {
    record_.Add(
        batch.evaluations[item], SecondsAt(batch.times[item]), [&] { return plan_of(item); });
    if (options_.on_evaluation) {
      options_.on_evaluation(plan_of(item), batch.evaluations[item]);
    }
  }
  if (options_.on_progress) {
    options_.on_progress(*this);
  }
  if (outer_ != nullptr) {
    outer_->Remember(batch, num_evaluated, make_plan);
  }
}

bool Evaluator::is_out_of_time() const {
  const bool is_interrupted = options_.interrupt != nullptr && options_.interrupt->is_raised();
  const auto& limit_s = options_.budget.seconds;
  return is_interrupted || (limit_s.has_value() && !(seconds() < *limit_s)) ||
         (outer_ != nullptr && outer_->is_out_of_time());
}

bool Evaluator::is_done() const {
  const auto& limit = options_.budget.evaluations;
  return (limit.has_value() && num_evaluations() >= *limit) || is_out_of_time() ||
         (outer_ != nullptr && outer_->is_done());
}

std::int64_t Evaluator::EvaluationsLeft(std::int64_t most) const {
  if (is_done()) {
    return 0;
  }
  const auto& limit = options_.budget.evaluations;
  const std::int64_t left = limit.has_value() ? std::min(most, *limit - num_evaluations()) : most;
  return outer_ != nullptr ? outer_->EvaluationsLeft(left) : left;
}

double Evaluator::UsedShare() const {
  const Budget& budget = options_.budget;
  double share = 0.0;
  if (budget.evaluations.has_value()) {
    share = *budget.evaluations > 0
                ? static_cast<double>(num_evaluations()) / static_cast<double>(*budget.evaluations)
                : 1.0;
  }
  if (budget.seconds.has_value()) {
    share = std::max(share, *budget.seconds > 0.0 ? seconds() / *budget.seconds : 1.0);
  }
  return std::min(share, 1.0);
}

double Evaluator::SecondsAt(Clock::time_point time) const {
  return std::chrono::duration<double>(time - start_).count();
}

double Evaluator::seconds() const {
  return SecondsAt(Clock::now());
}

double Evaluator::cpu_seconds() const {
  return machinery_->pool->cpu_seconds();
}

}  // namespace opyard::env
