// Judges plans: the only way from an agent to the simulator. Counts, enforces the budget,
// remembers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/budget.h"
#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "sim/base/interrupt.h"
#include "sim/plan/op_change.h"
#include "sim/plan/plan.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {
struct Workspace;
}

namespace opyard::env {

// What one plan is worth.
struct Evaluation {
  sim::SimResult result;
  double score = 0.0;  // objective.h; +infinity if the plan did not complete

  [[nodiscard]] bool is_feasible() const { return result.outcome == sim::Outcome::kCompleted; }
  // Given up as worse than a cutoff; whether it is feasible is not known.
  [[nodiscard]] bool is_cut_off() const { return result.outcome == sim::Outcome::kCutOff; }
};

// Judges one plan without counting it: for what is not a search, like the reward's reference.
[[nodiscard]] Evaluation Judge(const Problem& problem,
                               const sim::Plan& plan,
                               sim::Workspace& workspace);

// The best plan so far improved: `evaluations` includes the one that did it.
struct HistoryPoint {
  std::int64_t evaluations = 0;
  double seconds = 0.0;
  double score = 0.0;
  sim::SimResult result;
};

// One step from a plan: the ops that change together.
using Move = std::vector<sim::OpChange>;

struct BestPlan {
  sim::Plan plan;
  Evaluation evaluation;
};

struct EvaluatorOptions {
  Budget budget;
  std::size_t num_threads = 1;
  const InterruptFlag* interrupt =
      nullptr;  // when raised, evaluation stops as if the budget were spent
  std::function<void(const class Evaluator&)>
      on_progress;  // after each batch, in the caller's thread
};

// One evaluator serves one search. Results depend on the plans alone, never on the number of
// threads; with a budget in evaluations only, nothing depends on the clock. Used by one thread at a
// time.
class Evaluator {
 public:
  Evaluator(std::shared_ptr<const Problem> problem, EvaluatorOptions options);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Judges `plans` in order on all threads. Returns one evaluation per plan judged: fewer than
  // plans.size() only when the budget was spent or the search interrupted, and then for a prefix.
  // Every judged plan counts as one evaluation. Throws PlanError for the first illegal plan; those
  // before it are judged and remembered, that one and those after it are not counted.
  std::vector<Evaluation> Evaluate(std::span<const sim::Plan> plans);
  // The same for one plan; nothing when no budget is left.
  std::optional<Evaluation> Evaluate(const sim::Plan& plan);

  // Judges `plan` with each of `moves` made, as Evaluate judges the plans that come of it: the same
  // evaluations bit for bit, but sooner. A plan that comes again and again is remembered with
  // states on its way, and its neighbours go on from the last one that their move has not touched.
  // With `cutoff`, a run may be given up once its score is certain to exceed it (is_cut_off()):
  // which runs those are depends on the plans alone.
  std::vector<Evaluation> EvaluateNeighbours(const sim::Plan& plan,
                                             std::span<const Move> moves,
                                             std::optional<double> cutoff = std::nullopt);

  // True when no further plan will be judged.
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] std::int64_t num_evaluations() const { return num_evaluations_; }
  // Evaluations that did not complete (out of memory, deadlock).
  [[nodiscard]] std::int64_t num_failures() const { return num_failures_; }
  // How many more evaluations the budget allows, at most `most`.
  [[nodiscard]] std::int64_t EvaluationsLeft(std::int64_t most) const;
  // How much of the budget is used, in [0, 1]: the larger share of evaluations and seconds; 0
  // without any limit. With a budget in evaluations only, independent of the clock.
  [[nodiscard]] double UsedShare() const;
  [[nodiscard]] double seconds() const;

  // The feasible plan with the least score, the earlier of equals; while none is feasible, the plan
  // that ran longest before it stopped. Nothing before the first evaluation.
  [[nodiscard]] const std::optional<BestPlan>& best() const { return best_; }
  // Each improvement of best() among feasible plans, in order.
  [[nodiscard]] const std::vector<HistoryPoint>& history() const { return history_; }
  [[nodiscard]] const Problem& problem() const { return *problem_; }
  [[nodiscard]] const EvaluatorOptions& options() const { return options_; }

 private:
  struct Workspaces;
  struct Neighbourhood;
  struct BatchResult;

  // Judges item i of those that the budget allows on worker w.
  using JudgeItem = std::function<Evaluation(std::size_t w, std::size_t i)>;
  using MakePlan = std::function<sim::Plan(std::size_t i)>;

  [[nodiscard]] bool is_out_of_time() const;
  std::vector<Evaluation> JudgeBatch(std::size_t most,
                                     const JudgeItem& judge,
                                     const MakePlan& make_plan);
  void Remember(const BatchResult& batch, std::size_t num_judged, const MakePlan& make_plan);
  void Remember(const Evaluation& evaluation,
                double seconds,
                std::size_t item,
                const MakePlan& make_plan);
  void RememberFailure(const Evaluation& evaluation, std::size_t item, const MakePlan& make_plan);
  // True if the neighbours of `plan` can begin from its remembered run.
  [[nodiscard]] bool RemembersRun(const sim::Plan& plan, std::size_t num_neighbours);

  std::shared_ptr<const Problem> problem_;
  EvaluatorOptions options_;
  std::chrono::steady_clock::time_point start_;
  ThreadPool pool_;
  std::unique_ptr<Workspaces> workspaces_;
  std::unique_ptr<Neighbourhood> neighbourhood_;
  std::int64_t num_evaluations_ = 0;
  std::int64_t num_failures_ = 0;
  std::optional<BestPlan> best_;
  std::vector<HistoryPoint> history_;
};

}  // namespace opyard::env
