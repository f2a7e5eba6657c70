// Evaluates plans: the only way from an agent to the simulator. Counts, enforces the budget,
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
#include "env/evaluation.h"
#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "env/search_record.h"
#include "sim/base/interrupt.h"
#include "sim/plan/op_change.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::env {

// One step from a plan: the ops that change together.
using Move = std::vector<sim::OpChange>;

// Makes plan `item` of a batch, always the same one: it may be asked for again, and by several
// threads at a time.
using MakePlan = std::function<sim::Plan(std::size_t item)>;

struct EvaluatorOptions {
  Budget budget;
  std::size_t num_threads = 1;
  std::shared_ptr<ThreadPool> pool;  // one that others use in turn, in place of `num_threads`
  // When raised, evaluation stops as if the budget were spent.
  const InterruptFlag* interrupt = nullptr;
  // After each batch, in the caller's thread.
  std::function<void(const class Evaluator&)> on_progress;
  // Called for each counted plan, in order, in the caller's thread; plans are made once more for
  // it.
  std::function<void(const sim::Plan& plan, const Evaluation& evaluation)> on_evaluation;
};

// One evaluator serves one search, and its slices the searches inside it. Results depend on the
// plans alone, never on the number of threads; with a budget in evaluations only, nothing depends
// on the clock. Used by one thread at a time.
class Evaluator {
 public:
  Evaluator(std::shared_ptr<const Problem> problem, EvaluatorOptions options);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // An evaluator for a search inside this one, with a part of its budget: what `part` asks for, but
  // no more than is left here. Its own count, best plan, history and clock begin at nothing: a
  // search in a slice takes the course that it takes alone with that budget. Whatever it evaluates
  // counts here, too, and is part of this one's best plan and history. It is done when its part is
  // spent or this one is done. REQUIRES: this evaluator outlives it.
  [[nodiscard]] Evaluator Slice(const Budget& part);
  // The same with `share` of this evaluator's whole budget, evaluations rounded down; without
  // limits where it has none. REQUIRES: 0 <= share <= 1.
  [[nodiscard]] Evaluator Slice(double share);

  // Every plan is evaluated in the queue that the problem asks for, in the network's order where it
  // asks for that, and with kernels inside of modules (plan_queue.h); it is remembered as it was
  // given, but for its order and its modules (AsAsked).
  //
  // Evaluates plans 0 … count − 1, which are made and evaluated on all threads. Returns one
  // evaluation per plan evaluated: fewer than `count` only when the budget was spent or the search
  // interrupted, and then for a prefix. Every evaluated plan counts as one evaluation. Throws
  // PlanError for the first illegal plan, and whatever `make_plan` throws; the plans before it are
  // evaluated and remembered, that one and those after it are not counted.
  std::vector<Evaluation> Evaluate(std::size_t count, const MakePlan& make_plan);
  // The same for plans that are made already.
  std::vector<Evaluation> Evaluate(std::span<const sim::Plan> plans);
  // The same for one plan; nothing when no budget is left.
  std::optional<Evaluation> Evaluate(const sim::Plan& plan);

  // Evaluates `plan` as Evaluate does, and reports when each op ran and what each device held.
  // Slower. The report's `result` is the evaluation's.
  std::optional<sim::SimReport> EvaluateDetailed(const sim::Plan& plan);

  // Evaluates `plan` with each of `moves` made, as Evaluate evaluates the plans that come of it:
  // the same evaluations bit for bit, but sooner. A plan that comes again and again is remembered
  // with states on its way, and its neighbours go on from the last one that their move has not
  // touched. With `cutoff`, a run may be given up once its score is certain to exceed it
  // (is_cut_off()): which runs those are depends on the plans alone.
  std::vector<Evaluation> EvaluateNeighbours(const sim::Plan& plan,
                                             std::span<const Move> moves,
                                             std::optional<double> cutoff = std::nullopt);
  // The same for neighbours that are given as plans: they may differ in devices and priorities of
  // ops and in streams; what else differs makes their runs whole ones.
  std::vector<Evaluation> EvaluateNeighbours(const sim::Plan& plan,
                                             std::span<const sim::Plan> neighbours,
                                             std::optional<double> cutoff = std::nullopt);

  // True when no further plan will be evaluated.
  [[nodiscard]] bool is_done() const;
  // The number of further evaluations that the budget allows, at most `most`.
  [[nodiscard]] std::int64_t EvaluationsLeft(std::int64_t most) const;
  // The used share of the budget, in [0, 1]: the larger share of evaluations and seconds; 0 without
  // any limit. With a budget in evaluations only, independent of the clock.
  [[nodiscard]] double UsedShare() const;
  [[nodiscard]] double seconds() const;
  // Seconds of processor time that the threads of its pool have spent, that of the caller left out.
  [[nodiscard]] double cpu_seconds() const;

  // The members of the search's record (search_record.h).
  [[nodiscard]] std::int64_t num_evaluations() const { return record_.num_evaluations(); }
  [[nodiscard]] std::int64_t num_failures() const { return record_.num_failures(); }
  [[nodiscard]] const std::optional<BestPlan>& best() const { return record_.best(); }
  [[nodiscard]] const std::vector<HistoryPoint>& history() const { return record_.history(); }

  [[nodiscard]] const Problem& problem() const { return *problem_; }
  [[nodiscard]] const EvaluatorOptions& options() const { return options_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Machinery;
  struct BatchResult;

  // Evaluates item i of those that the budget allows on worker w.
  using EvaluateItem = std::function<Evaluation(std::size_t w, std::size_t i)>;

  Evaluator(Evaluator& outer, const Budget& part);

  [[nodiscard]] double SecondsAt(Clock::time_point time) const;
  [[nodiscard]] bool is_out_of_time() const;
  std::vector<Evaluation> EvaluateBatch(std::size_t most,
                                        const EvaluateItem& evaluate,
                                        const MakePlan& make_plan);
  // Records the first `num_evaluated` of the batch, in this evaluator and in those around it.
  void Remember(const BatchResult& batch, std::size_t num_evaluated, const MakePlan& make_plan);
  [[nodiscard]] SimTime LimitOf(std::optional<double> cutoff) const;
  // True if the neighbours of `plan` can begin from its remembered run.
  [[nodiscard]] bool RemembersRun(const sim::Plan& plan, std::size_t num_neighbours);

  std::shared_ptr<const Problem> problem_;
  EvaluatorOptions options_;
  Evaluator* outer_ = nullptr;  // of a slice
  Clock::time_point start_;
  std::shared_ptr<Machinery> machinery_;
  SearchRecord record_;
};

}  // namespace opyard::env
