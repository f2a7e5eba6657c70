// One run of one agent on one problem: a cell of the matrix, or `opyard place`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "env/budget.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "experiments/config/config.h"
#include "experiments/store/run_record.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct SearchRequest {
  std::shared_ptr<const env::Problem> problem;
  AgentConfig agent;
  std::int64_t seed = 0;
  env::Budget budget;
  std::size_t num_threads = 1;
  const InterruptFlag* interrupt = nullptr;
  std::function<void(const env::Evaluator&)> on_progress;
};

struct SearchAnswer {
  std::optional<env::BestPlan> best;
  std::vector<HistoryRow> history;
  std::vector<TrainingRow> training;  // the training curve that the agent reported
  std::int64_t evaluations = 0;
  std::int64_t failures = 0;
  double seconds = 0.0;  // wall time, from before the agent was made
  // Processor time of this thread, of the evaluator's, and of processes that the agent had work.
  double cpu_seconds = 0.0;
  // The reference of the rewards, if it was made for this run (references.h).
  std::optional<ReferenceRecord> reference;
  std::string account;           // what the agent says that it did, in one line; else empty
  bool was_interrupted = false;  // ended early; `best` is the best until then
  // Why the agent broke in the middle (agents::AgentFailure), in one line that begins with its
  // name; else empty. `best` and the figures are those until then.
  std::string failure;

  // Never after a failure.
  [[nodiscard]] bool is_feasible() const {
    return failure.empty() && best.has_value() && best->evaluation.is_feasible();
  }
};

// `best` as a reference for others. REQUIRES: it is feasible.
[[nodiscard]] env::Reference ReferenceOf(const env::BestPlan& best);

// Makes the agent and runs it with Rng(seed) until the budget is spent, nothing is left to try, or
// the interrupt, or the agent breaks. Long: as long as the budget allows.
[[nodiscard]] SearchAnswer RunSearch(const SearchRequest& request,
                                     const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
