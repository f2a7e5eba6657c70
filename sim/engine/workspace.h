// The state of one run. Reused from run to run so that nothing is allocated; one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/engine/memory_ledger.h"
#include "sim/engine/ready_queue.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

// One copy of a tensor under way or done.
struct ActiveTransfer {
  std::int32_t tensor = 0;
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::int32_t num_readers = 0;
  std::int64_t duration_ps = 0;
  std::int64_t negated_priority = 0;
};

// Made empty; the first run on a problem shapes it, later runs on problems of the same size reuse
// it.
struct Workspace {
  // Marks storage that is not counted (parameters hold it), and devices that run nothing.
  static constexpr std::int32_t kNone = -1;

  // By kernel.
  std::vector<std::int32_t> device;            // [num_ops]
  std::vector<std::int64_t> negated_priority;  // [num_ops]; all 0 under fifo
  std::vector<std::int32_t> pending;           // [num_ops]: dependencies that have not arrived
  // By device.
  std::vector<std::int32_t> running;  // [num_devices]: kernel or kNone
  std::vector<std::int64_t> device_busy_ps;
  // Bit sets.
  std::vector<std::uint64_t> busy_channels;    // [channel_words]
  std::vector<std::uint64_t> candidate_pairs;  // [pair_words]: waiting, and worth a try
  // Storage s < num_tensors is the tensor at its producer; num_tensors + slot is the copy of a
  // transfer.
  std::vector<std::int32_t>
      holders;  // [num_tensors + num_edges]: readers and transfers that need it
  std::vector<std::int32_t>
      storage_of_tensor;  // [num_tensors]: where its bytes lie; kNone: parameters
  std::vector<std::int32_t> storage_of_edge;  // [num_edges]: what the consumer reads
  std::vector<ActiveTransfer> transfers;      // in order of their offer
  std::vector<std::int32_t> slot_of_device;   // [num_devices]: transfer of the tensor at hand
  std::vector<std::int32_t> touched_devices;  // those with a slot
  std::vector<std::int64_t> tensor_priority;  // [num_tensors, num_devices] where the plan gives any
  std::vector<std::uint8_t> has_tensor_priority;
  // Queues.
  EventQueue events;
  SegmentedQueues<ReadyOp> ready;            // by device
  SegmentedQueues<WaitingTransfer> waiting;  // by (src, dst)
  std::vector<std::int32_t> queue_sizes;
  std::vector<std::int32_t> label_device;  // [num_labels]
  MemoryLedger memory;
};

}  // namespace opyard::sim
