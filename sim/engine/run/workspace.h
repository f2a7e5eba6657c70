// The memory of one run. Reused from run to run so that nothing is allocated; one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/engine/lowering/contraction.h"
#include "sim/engine/lowering/kernel_graph.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/queues/queue_key.h"
#include "sim/engine/run/run_state.h"
#include "sim/plan/op_change.h"
#include "sim/plan/plan.h"
#include "sim/plan/streams.h"

namespace opyard::sim {

// The place of a copy in the order of one channel.
struct TransferTurn {
  std::int64_t copy = 0;     // tensor · num_devices + destination
  std::int32_t channel = 0;  // of Plan::transfer_order
  std::int32_t place = 0;    // of ChannelOrder::copies
};

// A plan as the run needs it: laid down before time 0, the same until the end.
struct PreparedPlan {
  const KernelGraph* graph = nullptr;  // what the run executes: the problem's or that of `fused`
  const FusedPlan* fused = nullptr;    // null where all ops stay alone
  ContractionWorkspace contraction;
  std::vector<std::uint16_t> device_of;  // [num_kernels]: as of RunState::kernels, in less memory
  // With streams, else empty: the kernel behind each in its stream, or Streams::kNone; and the
  // first kernel of each stream that has any.
  std::vector<std::int32_t> next_in_stream;  // [num_kernels]
  std::vector<std::int32_t> heads;
  std::vector<TransferTurn> transfer_turns;   // by copy; empty unless channels have orders
  std::vector<KernelBody> bodies;             // [num_kernels]; empty without memory pools
  KeyLayout keys;                             // which queues and which build this run uses, and how
  std::vector<std::int64_t> tensor_priority;  // [num_tensors, num_devices] where the plan has any
  std::vector<std::uint8_t> has_tensor_priority;
  std::vector<std::int32_t> num_ready;        // [num_devices, keys.num_levels()]: kernels, at most
  std::vector<std::int32_t> queue_sizes;      // [num_devices²]: transfers, at most
  std::vector<std::int64_t> device_total_ps;  // for runs with a limit: the work of each device

  [[nodiscard]] bool has_streams() const { return !heads.empty(); }
  // The places of one copy, in the orders of its channels.
  [[nodiscard]] std::span<const TransferTurn> TurnsOf(std::int64_t copy) const {
    const auto turns = std::ranges::equal_range(transfer_turns, copy, {}, &TransferTurn::copy);
    return {turns.begin(), turns.end()};
  }
  // The kernel of an op, both by index. REQUIRES: a run was prepared.
  [[nodiscard]] std::size_t KernelOf(std::size_t op) const {
    return fused == nullptr ? op : At(fused->kernels.kernel_of[op]);
  }
};

// The readers of the tensor at hand on one other device.
struct RemoteReaders {
  std::uint64_t priority_part = ~std::uint64_t{0};  // the least
  std::int32_t num_readers = 0;
  std::int32_t edge = -1;    // to the last of them
  std::int32_t reader = -1;  // that is the last of them
};

// Buffers without meaning between two instants, or beyond one function.
struct RunScratch {
  std::vector<std::int32_t> released;          // kernels whose last dependency has arrived
  std::vector<std::int32_t> finished;          // kernels that end at one instant
  std::vector<RemoteReaders> remote;           // [num_devices]: none between two tensors
  std::vector<std::uint64_t> touched_devices;  // those with remote readers, as bits
  std::vector<std::int32_t> label_device;      // [num_labels], while ops are placed
  std::vector<std::int64_t> copied_tensor;     // [num_devices], while copy overheads are added
  Streams streams;                             // of ops, while a run is prepared
  Plan changed_plan;              // of a neighbour that begins at time 0 or has streams
  std::vector<OpChange> changes;  // of a neighbour that is given as a plan
};

// Made empty; the first run on a problem shapes it, later runs on problems of the same size reuse
// it.
struct Workspace {
  PreparedPlan prepared;
  RunState state;
  RunScratch scratch;
};

}  // namespace opyard::sim
