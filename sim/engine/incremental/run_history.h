// One run remembered with states on its way, so that runs of similar plans need not begin at zero.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/incremental/checkpoint.h"
#include "sim/engine/queues/queue_key.h"
#include "sim/engine/run/run_state.h"
#include "sim/engine/run/state_keeper.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// The notes of Simulator::RunWithCheckpoints on a run. Reused from plan to plan so that little is
// allocated.
struct RunHistory {
  Plan plan;
  SimResult result;
  // False where runs always begin at zero: fair sharing, fusion, transfer priorities, devices
  // without a route between them, memory that is waited for.
  bool has_states = false;
  KeyLayout keys;
  std::vector<KernelState> kernels;           // [num_kernels] at time 0
  std::vector<std::int64_t> finish_ps;        // [num_kernels]; kNever where it has not
  std::vector<std::int64_t> device_total_ps;  // [num_devices]: the work of each
  Streams streams;                            // of a plan that has some
  std::vector<std::int32_t> ready_sizes;      // [num_devices, keys.num_levels()]: kernels
  std::vector<std::int32_t> pair_sizes;       // [num_devices²]: edges
  std::vector<Checkpoint> checkpoints;        // in order of time
  std::size_t num_checkpoints = 0;            // of `checkpoints`, those of this plan

  // Begins anew with the workspace as PrepareRun left it.
  void Begin(const Plan& new_plan, const Workspace& workspace);
  // The keeper that notes a run here, from Begin on. The history outlives it and stays where it is.
  [[nodiscard]] StateKeeper Keeper();

 private:
  // The number of finished kernels from which on the next state is to be saved.
  [[nodiscard]] std::size_t NextMark() const;
  void AddCheckpoint(const Workspace& workspace, const RunProgress& progress);
};

}  // namespace opyard::sim
