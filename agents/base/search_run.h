// One run of one agent on one problem: a cell of an experiment's matrix, or `opyard place`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/base/agent_registry.h"
#include "agents/base/search_curves.h"
#include "env/budget.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/interrupt.h"
#include "sim/base/options.h"

namespace opyard::agents {

struct SearchRequest {
  std::shared_ptr<const env::Problem> problem;
  std::string agent;  // in the registry
  Options params;
  std::int64_t seed = 0;
  env::Budget budget;
  std::size_t num_threads = 1;
  const InterruptFlag* interrupt = nullptr;
  std::function<void(const env::Evaluator&)> on_progress;
  // After each update of an agent that learns, in the thread that searches.
  std::function<void(const env::Evaluator&, const TrainingRow&)> on_update;
};

struct SearchResult {
  std::optional<env::BestPlan> best;
  std::vector<HistoryRow> history;
  std::vector<TrainingRow> training;  // the training curve that the agent reported
  std::int64_t evaluations = 0;
  std::int64_t failures = 0;
  double seconds = 0.0;  // wall time, from before the agent was made
  // Processor time of this thread, of the evaluator's, and of processes that the agent had work.
  double cpu_seconds = 0.0;
  std::string account;           // what the agent says that it did, in one line; else empty
  std::optional<double> bound;   // the agent proved that no plan scores less
  bool was_interrupted = false;  // ended early; `best` is the best until then
  // Why the agent broke in the middle (AgentFailure), in one line that begins with its name; else
  // empty. `best` and the figures are those until then.
  std::string failure;

  // Never after a failure.
  [[nodiscard]] bool is_feasible() const {
    return failure.empty() && best.has_value() && best->evaluation.is_feasible();
  }
  // The best plan as a reference for the rewards of others; nothing if it is not feasible.
  [[nodiscard]] std::optional<env::Reference> reference() const;
};

// Makes the agent and runs it with Rng(seed) until the budget is spent, nothing is left to try, or
// the interrupt, or the agent breaks. Long: as long as the budget allows. Throws InputError for an
// unknown agent or option, or an option out of range.
[[nodiscard]] SearchResult RunSearch(const SearchRequest& request, const AgentRegistry& registry);

}  // namespace opyard::agents
