// One run remembered with states on its way, so that runs of similar plans need not begin at zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

template <class Key>
struct ContentsOfQueues {
  QueueContents<ReadyKernel<Key>> ready;
  QueueContents<WaitingTransfer<Key>> waiting;
  std::vector<WaitingTransfer<Key>> scanned;
};

// How much of a run is over: what is numbered below will not be looked at again, since graphs are
// executed more or less in their order. Only grows as the run goes.
struct Settled {
  std::size_t num_kernels = 0;  // finished
  std::size_t num_tensors = 0;  // read by all, on their producer's device
  std::size_t num_edges = 0;    // whose consumer has finished
  std::size_t num_slots = 0;    // of transfers that are done and whose copies all have read
};

// The state of a run between two instants: what of a Workspace changes as the run goes, but for
// what is settled or not yet made.
struct Checkpoint {
  RunProgress progress;
  Settled settled;
  std::vector<std::int32_t> pending;  // [num_kernels − settled]
  std::vector<DeviceState> devices;
  KernelEnds kernel_ends;
  std::vector<std::uint32_t> ready_instant;
  std::vector<std::uint64_t> idle_devices;
  std::vector<std::uint64_t> ready_devices;
  std::vector<std::uint64_t> waiting_pairs;
  std::vector<std::uint64_t> active_pairs;
  std::vector<std::uint64_t> blocked_pairs;
  std::vector<Storage> tensors;  // [tensors made − settled]
  std::vector<Storage> copies;   // [slots so far − settled]
  Storage params;
  std::vector<std::int32_t> storage_of_edge;  // [their edges − settled]
  std::vector<ActiveTransfer> transfers;      // [slots so far − settled]
  std::size_t num_slots = 0;                  // so far
  std::vector<Event> events;
  ContentsOfQueues<NarrowKey> narrow_queues;
  ContentsOfQueues<WideKey> wide_queues;
  MemoryLedger memory;

  // `before`: what was settled in an earlier state of the run.
  void Save(const Workspace& workspace,
            std::span<const std::int64_t> finish_ps,
            const Settled& before,
            const RunProgress& at);
  // Into a workspace whose queues are empty and have room.
  void Restore(Workspace& workspace) const;

 private:
  // Raises `settled` to what is over now. `first_waiting` is the least slot of the transfers that
  // wait. REQUIRES: events are saved.
  void Settle(const Workspace& workspace,
              std::span<const std::int64_t> finish_ps,
              std::size_t first_waiting);
};

// What Simulator::Remember notes of a run. Reused from plan to plan so that little is allocated.
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
  std::vector<std::int32_t> ready_sizes;      // [num_devices, keys.num_levels()]: kernels
  std::vector<std::int32_t> pair_sizes;       // [num_devices²]: edges
  std::vector<Checkpoint> checkpoints;        // in order of time
  std::size_t num_checkpoints = 0;            // of `checkpoints`, those of this plan

  // Begins anew with the workspace as PrepareRun left it.
  void Begin(const Plan& new_plan, const Workspace& workspace);
  // The number of finished kernels from which on the next state is to be saved.
  [[nodiscard]] std::size_t NextMark() const;
  void AddCheckpoint(const Workspace& workspace, const RunProgress& progress);
};

}  // namespace opyard::sim
