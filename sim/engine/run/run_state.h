// The changing state of a run: all that a run which goes on from its middle needs.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/queues/event_queue.h"
#include "sim/engine/queues/kernel_ends.h"
#include "sim/engine/queues/ready_queue.h"
#include "sim/engine/run/fair_flows.h"
#include "sim/engine/run/memory_ledger.h"
#include "sim/engine/run/pool_bandwidth.h"

namespace opyard::sim {

// One copy of a tensor, waiting, under way or done. The copies that one transfer brings to several
// devices (OnePer::kOutput) have consecutive slots; the first of them leads and stands for the
// transfer.
struct ActiveTransfer {
  std::int32_t tensor = 0;
  std::int32_t source_storage = 0;  // where the producer's device keeps it
  std::int16_t src = 0;
  std::int16_t dst = 0;
  std::int32_t pair = 0;  // of devices: src * number of devices + dst
  std::int32_t num_readers = 0;
  std::int32_t num_copies = 1;  // of the transfer, if this one leads
  std::int32_t edge = -1;       // to the last of its readers
  std::int32_t reader = -1;     // that is the last of them
};

// The state of one kernel, kept together since the run reads it together.
struct KernelState {
  static constexpr std::int32_t kNoDevice = -1;  // of runs that stop at choices: not chosen yet

  std::int64_t duration_ps = 0;
  std::uint64_t priority_part = 0;  // of its key in queues; the less, the sooner
  std::int32_t device = 0;
  std::int32_t pending = 0;  // dependencies that have not arrived
};

// The state of a kernel in its stream. It starts once it is the head of the stream and issued.
// Where streams run side by side, it is noted, too, that it runs.
enum class Turn : std::uint8_t { kNone, kHead, kIssued, kRunning };

// The state of one device, kept together likewise.
struct DeviceState {
  // In place of a kernel: the device runs nothing and is idle, or rests for `gap_after_op` after an
  // op (docs/modelling.md, section 3: gaps) and starts nothing until kDeviceRested.
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kResting = -2;

  std::int64_t busy_ps = 0;
  std::int32_t running = kNone;   // kernel, kNone or kResting
  std::int32_t num_unissued = 0;  // kernels that are ready but not issued
  std::int32_t num_held = 0;      // with streams: issued kernels that are not the head of theirs
  std::int32_t num_running = 0;   // with streams side by side: kernels; `running` is one of them
};

// Bytes that some readers, transfers or the graph's outputs need.
struct Storage {
  std::int64_t bytes = 0;
  std::int32_t num_holders = 0;
};

// What runs that stop at choices keep, too.
struct OpenChoices {
  std::vector<std::vector<std::int32_t>> ready;  // [num_devices]: kernels, in place of the queues
  std::vector<std::int64_t> kernel_end_ps;       // [num_devices]: of the kernel that runs there
  std::vector<std::int32_t> unplaced;            // kernels that need a device before time goes on
};

// The progress of a run.
struct RunProgress {
  std::int64_t now_ps = 0;
  std::int64_t end_ps = 0;    // the last completion that counts
  std::uint32_t instant = 0;  // the number of distinct instants before now
  std::size_t num_done = 0;   // kernels
  std::int64_t num_transfers = 0;
  std::uint32_t num_entries = 0;  // rules placeto: into queues, which order them
  bool must_scan = false;         // something has changed for waiting transfers
};

// Between two instants, all of it is in checkpoints: incremental/checkpoint.cc names every member,
// so that a new one does not compile before somebody has thought of how it is saved and restored.
// What a run forgets from instant to instant belongs into RunScratch.
struct RunState {
  // By kernel.
  std::vector<KernelState> kernels;  // [num_kernels]; only `pending` changes
  // With dispatch or streams: when the last dependency arrived.
  std::vector<std::uint32_t> ready_instant;
  std::vector<Turn> turns;                  // [num_kernels] with streams
  std::vector<DeviceState> devices;         // [num_devices]
  std::vector<std::int32_t> next_transfer;  // of Plan::transfer_order: the place that is next
  // Bit sets.
  std::vector<std::uint64_t> idle_devices;   // that run nothing and do not rest
  std::vector<std::uint64_t> ready_devices;  // with a ready kernel that may fit
  std::vector<std::uint64_t> waiting_pairs;  // pairs with waiting transfers
  std::vector<std::uint64_t> active_pairs;   // pairs that occupy their channels
  std::vector<std::uint64_t> blocked_pairs;  // pairs that share a channel with an active one
  // Storage s < num_tensors is the tensor at its producer; num_tensors + slot is the copy of a
  // transfer; the last stands for all parameters, whose bytes are counted apart.
  std::vector<Storage> storages;              // [num_tensors + num_uses + 1]
  std::vector<std::int32_t> storage_of_edge;  // [num_edges]: what the consumer reads
  std::vector<ActiveTransfer> transfers;      // in order of their offer
  // Queues; PreparedPlan::keys decides which of the two kinds the run uses.
  KernelEnds kernel_ends;  // up to eight devices
  EventQueue events;
  RunQueues<NarrowKey> narrow_queues;
  RunQueues<WideKey> wide_queues;
  FairFlows flows;
  MemoryLedger memory;
  MemoryLedger pool_memory;  // by memory pool: what its devices hold together
  PoolBandwidth pool_bandwidth;
  OpenChoices choices;
};

}  // namespace opyard::sim
