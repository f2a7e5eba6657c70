// The state of one run. Reused from run to run so that nothing is allocated; one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/engine/fair_flows.h"
#include "sim/engine/memory_ledger.h"
#include "sim/engine/ready_queue.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

// One copy of a tensor, waiting, under way or done. The copies that one transfer brings to several
// devices (OnePer::kOutput) have consecutive slots; the first of them leads and stands for the
// transfer.
struct ActiveTransfer {
  std::int32_t tensor = 0;
  std::int32_t src = 0;
  std::int32_t dst = 0;
  std::int32_t num_readers = 0;
  std::int32_t num_copies = 1;  // of the transfer, if this one leads
  std::int32_t edge = -1;       // OnePer::kEdge: whom it serves
  std::int64_t duration_ps = 0;
};

// Made empty; the first run on a problem shapes it, later runs on problems of the same size reuse
// it.
struct Workspace {
  // Marks storage that is not counted (parameters hold it), and devices that run nothing.
  static constexpr std::int32_t kNone = -1;
  // Marks a device that rests after an op.
  static constexpr std::int32_t kResting = -2;

  // By kernel.
  std::vector<std::int32_t> device;            // [num_ops]
  std::vector<std::int64_t> negated_priority;  // [num_ops]; all 0 under fifo
  std::vector<std::int32_t> pending;           // [num_ops]: dependencies that have not arrived
  std::vector<std::uint32_t> ready_instant;    // [num_ops] with dispatch: when the last one arrived
  // By device.
  std::vector<std::int32_t> running;  // [num_devices]: kernel or kNone
  std::vector<std::int64_t> device_busy_ps;
  std::vector<std::uint8_t> is_stalled;  // nothing ready there fits, and nothing has changed since
  std::vector<std::int32_t> num_unissued;  // ops that are ready but not issued
  std::vector<ReadyOp> set_aside;          // ready ops that do not fit, while others are tried
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
  // For the tensor at hand, by device: its readers there and the least negated priority of them.
  std::vector<std::int32_t> remote_readers;
  std::vector<std::int64_t> remote_priority;
  std::vector<std::int32_t> touched_devices;  // those with remote readers
  std::vector<std::int64_t> tensor_priority;  // [num_tensors, num_devices] where the plan gives any
  std::vector<std::uint8_t> has_tensor_priority;
  // Queues.
  EventQueue events;
  SegmentedQueues<ReadyOp> ready;            // by device
  SegmentedQueues<WaitingTransfer> waiting;  // by (src, dst)
  std::vector<WaitingTransfer> scanned;      // all that wait, in order, where heads do not suffice
  FairFlows flows;
  std::vector<std::int32_t> queue_sizes;
  std::vector<std::int32_t> label_device;  // [num_labels]
  MemoryLedger memory;
};

}  // namespace opyard::sim
