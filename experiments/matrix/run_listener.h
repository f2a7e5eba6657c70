// Listeners to the progress of an experiment: a console, a server, a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/base/search_curves.h"
#include "env/evaluator.h"
#include "experiments/base/notice.h"
#include "experiments/store/run_record.h"
#include "sim/base/units.h"

namespace opyard::experiments {

// The work of a matrix of runs at its beginning.
struct MatrixStart {
  std::size_t num_runs = 0;  // of the matrix, or of the piece of it that is asked for
  std::size_t num_done = 0;  // of them, in the store already
  std::size_t num_jobs = 1;  // runs at once
  struct Spent {
    std::string agent;     // a label
    double seconds = 0.0;  // of wall time
  };
  std::vector<Spent> done;           // what each run of the store took
  std::vector<std::string> missing;  // the agent's label of each run to make
};

// The progress of one run.
struct RunSoFar {
  std::int64_t evaluations = 0;
  std::optional<SimTime> best;  // the makespan of the best plan, if any completed
  std::optional<double> best_score;
  std::int64_t failures = 0;                  // evaluations that did not complete
  std::optional<agents::TrainingRow> update;  // that an agent that learns has just made
};

[[nodiscard]] RunSoFar SoFarOf(const env::Evaluator& evaluator);

// The progress of the training of an agent.
struct TrainingProgress {
  std::int64_t seed = 0;
  std::int64_t num_updates = 0;
  std::int64_t planned_updates = 0;
  std::int64_t evaluations = 0;
  double seconds = 0.0;                  // of wall time, those before a stop included
  std::map<std::string, double> values;  // of the last update (agents/base/training_point.h)
};

// Jobs search side by side, and each reports its run on its own thread: implementations are
// thread-safe. They are quick, because the search that reports waits for them, and throw nothing.
class RunListener {
 public:
  virtual ~RunListener() = default;
  // Something is odd about a graph or a machine. On the caller's thread, before the matrix starts.
  virtual void Noticed(const Notice& notice) = 0;
  // Once, on the caller's thread, before any training and any run.
  virtual void MatrixStarted(const MatrixStart& start) = 0;
  // An agent that is trained for the runs has made one more update. On the caller's thread, before
  // any run.
  virtual void TrainingWentOn(const std::string& agent, const TrainingProgress& so_far) = 0;
  // The search of a cell begins. What is interrupted or fails after that never finishes.
  virtual void RunStarted(const CellKey& cell) = 0;
  // It has evaluated more plans: after each batch, which may be of one plan. Or its agent has made
  // an update.
  virtual void RunWentOn(const CellKey& cell, const RunSoFar& so_far) = 0;
  // It is in the store. One run after another, in the order of the store; without the training
  // curve, which the store has.
  virtual void RunFinished(const RunRecord& record) = 0;
};

// Listeners of one search (agents::SearchRequest).
struct SearchListeners {
  std::function<void(const env::Evaluator&)> on_progress;
  std::function<void(const env::Evaluator&, const agents::TrainingRow&)> on_update;
};

// Listeners that report the search of `cell` to `listener`, which outlives them.
[[nodiscard]] SearchListeners ListenersOf(const CellKey& cell, RunListener& listener);

}  // namespace opyard::experiments
