// The state of a run on its way, saved so that others can go on from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/queues/event_queue.h"
#include "sim/engine/queues/kernel_ends.h"
#include "sim/engine/queues/ready_queue.h"
#include "sim/engine/run/memory_ledger.h"
#include "sim/engine/run/run_state.h"
#include "sim/engine/run/workspace.h"

namespace opyard::sim {

template <class Key>
struct ContentsOfQueues {
  QueueContents<ReadyKernel<Key>> ready;
  QueueContents<WaitingTransfer<Key>> waiting;
  std::vector<WaitingTransfer<Key>> scanned;
};

// The part of a run that is over: what is numbered below will not be read again, since graphs are
// executed more or less in their order. Only grows as the run goes.
struct Settled {
  std::size_t num_kernels = 0;  // finished
  std::size_t num_tensors = 0;  // read by all, on their producer's device
  std::size_t num_edges = 0;    // whose consumer has finished
  std::size_t num_slots = 0;    // of transfers that are done and whose copies all have read
};

// The state of a run between two instants: its RunState and its RunProgress, but for what is
// settled or not yet made. Flows are not in it: under fair sharing no states are kept
// (sim/engine/rules.cc).
struct Checkpoint {
  RunProgress progress;
  Settled settled;
  std::vector<std::int32_t> pending;  // [num_kernels − settled]
  std::vector<DeviceState> devices;
  KernelEnds kernel_ends;
  std::vector<std::uint32_t> ready_instant;
  std::vector<Turn> turns;
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
};

// Saves the state of the run in `workspace`, which is at `progress`, into `checkpoint`, which may
// be an old one, reused. REQUIRES: `checkpoint.settled` is what was settled in an earlier state of
// the run, or {}.
void SaveState(const Workspace& workspace,
               const RunProgress& progress,
               std::span<const std::int64_t> finish_ps,
               Checkpoint& checkpoint);

// Into a workspace whose queues are empty and have room.
void RestoreState(const Checkpoint& checkpoint, Workspace& workspace);

}  // namespace opyard::sim
