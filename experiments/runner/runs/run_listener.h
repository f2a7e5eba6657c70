// Who is told how an experiment goes on: a console, a server, a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "experiments/runner/notice.h"
#include "experiments/runner/store/run_record.h"
#include "sim/base/units.h"

namespace opyard::experiments {

// How far one run is.
struct RunSoFar {
  std::int64_t evaluations = 0;
  std::optional<SimTime> best;  // the makespan of the best plan, if any completed
};

// Jobs search side by side, and each tells of its run on its own thread: implementations are
// thread-safe. They are quick, because the search that tells waits for them, and throw nothing.
class RunListener {
 public:
  virtual ~RunListener() = default;
  // Something is odd about a graph or a machine. On the caller's thread, before the matrix starts.
  virtual void Noticed(const Notice& notice) = 0;
  // Of the `num_runs` of the matrix, the store holds `num_done`. Once, on the caller's thread,
  // before any run.
  virtual void MatrixStarted(std::size_t num_runs, std::size_t num_done) = 0;
  // The search of a cell begins. What is interrupted or fails after that never finishes.
  virtual void RunStarted(const CellKey& cell) = 0;
  // It has evaluated more plans: after each batch, which may be of one plan.
  virtual void RunWentOn(const CellKey& cell, const RunSoFar& so_far) = 0;
  // It is in the store. One run after another, in the order of the store; without the training
  // curve, which the store has.
  virtual void RunFinished(const RunRecord& record) = 0;
};

}  // namespace opyard::experiments
