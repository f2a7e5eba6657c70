// Executes plans for one problem and returns their step times.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/engine/incremental/run_history.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/op_change.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// Model: docs/modelling.md. Deterministic: equal inputs give equal results, to the picosecond.
// Thread-safe: Run is const; all state of a run is in `workspace`, which one thread uses at a time.
class Simulator {
 public:
  explicit Simulator(std::shared_ptr<const LoweredProblem> problem);

  // Simulates `plan` from time 0 until nothing is left to do. Allocates nothing once `workspace` is
  // warm: after one plan, after five that fuse. Throws PlanError when the plan does not fit the
  // graph or the machine; running out of memory is an outcome of the result.
  [[nodiscard]] SimResult Run(const Plan& plan, Workspace& workspace) const;

  // The same, but stops as soon as it is certain that the makespan exceeds `limit`: outcome
  // kCutOff, which no run that completes by `limit` has. Other outcomes are Run's.
  [[nodiscard]] SimResult RunUntil(const Plan& plan, SimTime limit, Workspace& workspace) const;

  // False for plans that fuse, under fair sharing, and under some rules: then ResimulateFrom gives
  // the same results, but begins at time 0.
  [[nodiscard]] bool SupportsCheckpoints(const Plan& plan) const;

  // The same as Run, and keeps in `history` what ResimulateFrom needs. 1.9 to 2.4 times the time.
  [[nodiscard]] SimResult RunWithCheckpoints(const Plan& plan,
                                             Workspace& workspace,
                                             RunHistory& history) const;

  // Runs the plan of `history` with `changes` made, as RunUntil does, but goes on from the last
  // state of the remembered run that no change has touched. Threads may share `history`.
  [[nodiscard]] SimResult ResimulateFrom(const RunHistory& history,
                                         std::span<const OpChange> changes,
                                         SimTime limit,
                                         Workspace& workspace) const;
  // The same for a whole plan, which may differ in devices and priorities of ops and in streams.
  [[nodiscard]] SimResult ResimulateFrom(const RunHistory& history,
                                         const Plan& changed,
                                         SimTime limit,
                                         Workspace& workspace) const;

  // The same run with every span, channel and resident reported; slower, and allocates.
  [[nodiscard]] SimReport RunReport(const Plan& plan, Workspace& workspace) const;

  // The residents of each device when it holds the most, at the first such instant: the ten
  // largest, largest first. By device; runs the plan twice.
  [[nodiscard]] std::vector<std::vector<Resident>> PeakResidents(const Plan& plan,
                                                                 Workspace& workspace) const;

  // The time that no machine like this could beat with this plan, however fast its links
  // (docs/modelling.md, "Bounds"). Throws as Run does.
  [[nodiscard]] SimTime PlanBound(const Plan& plan, Workspace& workspace) const;

  [[nodiscard]] const LoweredProblem& problem() const { return *problem_; }
  [[nodiscard]] const std::shared_ptr<const LoweredProblem>& shared_problem() const {
    return problem_;
  }

 private:
  // Of plans without fusion and with it, each computed when the first report of such a plan asks.
  class ProblemBounds;

  std::shared_ptr<const LoweredProblem> problem_;
  std::shared_ptr<ProblemBounds> bounds_;
};

}  // namespace opyard::sim
