// The state of one run. Reused from run to run so that nothing is allocated; one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/contraction.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/fair_flows.h"
#include "sim/engine/kernel_graph.h"
#include "sim/engine/memory_ledger.h"
#include "sim/engine/ready_queue.h"
#include "sim/plan/plan.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

// One copy of a tensor, waiting, under way or done. The copies that one transfer brings to several
// devices (OnePer::kOutput) have consecutive slots; the first of them leads and stands for the
// transfer.
struct ActiveTransfer {
  std::int32_t tensor = 0;
  std::int32_t source_storage = 0;  // where the producer's device keeps it
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::int32_t num_readers = 0;
  std::int32_t num_copies = 1;  // of the transfer, if this one leads
  std::int32_t edge = -1;       // OnePer::kEdge: whom it serves
  std::int64_t duration_ps = 0;
};

// What the run keeps together of one kernel, since it looks at it together.
struct KernelState {
  std::int64_t duration_ps = 0;
  std::int64_t negated_priority = 0;  // 0 under fifo
  std::int32_t device = 0;
  std::int32_t pending = 0;  // dependencies that have not arrived
};

// Bytes that some readers, transfers or the graph's outputs need.
struct Storage {
  std::int64_t bytes = 0;
  std::int32_t num_holders = 0;
};

// How far a run has come.
struct RunProgress {
  std::int64_t now_ps = 0;
  std::int64_t end_ps = 0;    // the last completion that counts
  std::uint32_t instant = 0;  // the number of distinct instants before now
  std::size_t num_done = 0;   // kernels
  std::int64_t num_transfers = 0;
  std::uint32_t num_entries = 0;  // rules placeto: into queues, which order them
  bool must_scan = false;         // something has changed for waiting transfers
};

// Made empty; the first run on a problem shapes it, later runs on problems of the same size reuse
// it.
struct Workspace {
  // Marks devices that run nothing.
  static constexpr std::int32_t kNone = -1;
  // Marks a device that rests after an op.
  static constexpr std::int32_t kResting = -2;

  const KernelGraph* graph = nullptr;  // what the run executes: the problem's or a contraction
  ContractionWorkspace contraction;
  // By kernel.
  std::vector<KernelState> kernels;          // [num_kernels]
  std::vector<std::uint32_t> ready_instant;  // with dispatch: when the last dependency arrived
  // By device.
  std::vector<std::int32_t> running;  // [num_devices]: kernel, kNone or kResting
  std::vector<std::int64_t> device_busy_ps;
  std::vector<std::int32_t> num_unissued;  // kernels that are ready but not issued
  std::vector<ReadyKernel> set_aside;      // ready kernels that do not fit, while others are tried
  // Bit sets.
  std::vector<std::uint64_t> startable_devices;  // idle, with a ready kernel that may fit
  std::vector<std::uint64_t> waiting_pairs;      // pairs with waiting transfers
  std::vector<std::uint64_t> active_pairs;       // pairs that occupy their channels
  std::vector<std::uint64_t> blocked_pairs;      // pairs that share a channel with an active one
  // Storage s < num_tensors is the tensor at its producer; num_tensors + slot is the copy of a
  // transfer; the last stands for all parameters, whose bytes are counted apart.
  std::vector<Storage> storages;              // [num_tensors + num_uses + 1]
  std::vector<std::int32_t> storage_of_edge;  // [num_edges]: what the consumer reads
  std::vector<ActiveTransfer> transfers;      // in order of their offer
  // For the tensor at hand, by device: its readers there and the least negated priority of them;
  // in between 0 and the largest int64.
  std::vector<std::int32_t> remote_readers;
  std::vector<std::int64_t> remote_priority;
  std::vector<std::uint64_t> touched_devices;  // those with remote readers, as bits
  std::vector<std::int64_t> tensor_priority;   // [num_tensors, num_devices] where the plan has any
  std::vector<std::uint8_t> has_tensor_priority;
  // Queues.
  EventQueue events;
  SegmentedQueues<ReadyKernel> ready;        // by device
  SegmentedQueues<WaitingTransfer> waiting;  // by (src, dst)
  std::vector<WaitingTransfer> scanned;      // all that wait, in order, where heads do not suffice
  FairFlows flows;
  std::vector<std::int32_t> queue_sizes;
  std::vector<std::int32_t> label_device;  // [num_labels]
  MemoryLedger memory;
  // For runs with a limit: the work of each device; for runs of changed plans: the plan.
  std::vector<std::int64_t> device_total_ps;
  Plan changed_plan;

  // The kernel of an op, both by index. REQUIRES: a run of `problem` was prepared.
  [[nodiscard]] std::size_t KernelOf(const LoweredProblem& problem, std::size_t op) const {
    return graph == &problem.unfused ? op : At(contraction.fusion.kernels.kernel_of[op]);
  }
};

}  // namespace opyard::sim
