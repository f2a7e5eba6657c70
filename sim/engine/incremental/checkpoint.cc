#include "sim/engine/incremental/checkpoint.h"

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/queues/never.h"

namespace opyard::sim {
namespace {

// Returns the least slot of the transfers that wait, or `num_slots`.
template <class Key>
std::size_t SaveQueues(const RunQueues<Key>& queues,
                       std::size_t num_slots,
                       ContentsOfQueues<Key>& contents) {
  // Kernels that are set aside are queued again before their instant is over.
  const auto& [ready, waiting, scanned, set_aside] = queues;
  ready.CopyTo(contents.ready);
  waiting.CopyTo(contents.waiting);
  contents.scanned = scanned;
  std::size_t first = num_slots;
  const auto look_at = [&](const WaitingTransfer<Key>& transfer) {
    first = std::min(first, At(transfer.slot));
  };
  std::ranges::for_each(contents.waiting.entries, look_at);
  std::ranges::for_each(contents.scanned, look_at);
  return first;
}

template <class Key>
void RestoreQueues(const ContentsOfQueues<Key>& contents, RunQueues<Key>& queues) {
  const auto& [ready, waiting, scanned] = contents;
  queues.ready.Fill(ready);
  queues.waiting.Fill(waiting);
  queues.scanned = scanned;
}

// Items from `first` to before `end`, if any.
template <class Item>
void SaveRange(const std::vector<Item>& items,
               std::size_t first,
               std::size_t end,
               std::vector<Item>& saved) {
  const auto begin = items.begin();
  saved.assign(begin + static_cast<std::ptrdiff_t>(first),
               begin + static_cast<std::ptrdiff_t>(std::max(first, end)));
}

template <class Item>
void RestoreFrom(const std::vector<Item>& saved, std::size_t first, std::vector<Item>& items) {
  std::ranges::copy(saved, items.begin() + static_cast<std::ptrdiff_t>(first));
}

// Its subject is a slot.
bool ConcernsTransfer(EventKind kind) {
  return kind == EventKind::kTransferDone || kind == EventKind::kChannelsRested;
}

// Raises `settled` to what is over now. `events` are saved; `first_waiting` is the least slot of
// the transfers that wait.
void Settle(const Workspace& workspace,
            std::span<const std::int64_t> finish_ps,
            std::span<const Event> events,
            std::size_t first_waiting,
            Settled& settled) {
  const KernelGraph& g = *workspace.prepared.graph;
  const std::vector<Storage>& storages = workspace.state.storages;
  const auto is_finished = [&](std::int32_t kernel) { return finish_ps[At(kernel)] != kNever; };
  const auto is_released = [&](std::size_t tensor) {
    return is_finished(g.producer[tensor]) &&
           (g.tensors[tensor].alias != Alias::kNone || storages[tensor].num_holders == 0);
  };
  Settled& s = settled;
  while (s.num_kernels < g.num_kernels && finish_ps[s.num_kernels] != kNever) {
    ++s.num_kernels;
  }
  while (s.num_tensors < g.num_tensors && is_released(s.num_tensors)) {
    ++s.num_tensors;
  }
  while (s.num_edges < g.num_edges() && is_finished(g.consumers[s.num_edges])) {
    ++s.num_edges;
  }
  std::size_t first_under_way = first_waiting;
  for (const Event& event : events) {
    if (ConcernsTransfer(event.kind())) {
      first_under_way = std::min(first_under_way, At(event.subject()));
    }
  }
  while (s.num_slots < first_under_way && storages[g.num_tensors + s.num_slots].num_holders == 0) {
    ++s.num_slots;
  }
}

// The kernel after the last that has finished: nothing is written of tensors that are not made.
std::size_t EndOfFinished(std::span<const std::int64_t> finish_ps, std::size_t first) {
  std::size_t end = finish_ps.size();
  while (end > first && finish_ps[end - 1] == kNever) {
    --end;
  }
  return end;
}

void SavePending(const std::vector<KernelState>& kernels,
                 std::size_t first,
                 std::vector<std::int32_t>& pending) {
  pending.resize(kernels.size() - first);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    pending[i] = kernels[first + i].pending;
  }
}

}  // namespace

// Every member of the state is named here, and every member of a checkpoint in RestoreState: a new
// one does not compile before it is thought of in both.
void SaveState(const Workspace& workspace,
               const RunProgress& progress,
               std::span<const std::int64_t> finish_ps,
               Checkpoint& checkpoint) {
  const auto& [kernels,
               ready_instant,
               turns,
               devices,
               next_transfer,  // none: no states are kept of runs with orders of channels
               idle_devices,
               ready_devices,
               waiting_pairs,
               active_pairs,
               blocked_pairs,
               storages,
               storage_of_edge,
               transfers,
               kernel_ends,
               events,
               narrow_queues,
               wide_queues,
               flows,  // none: under fair sharing no states are kept
               memory,
               pool_memory,  // none, as of what follows: no states are kept of runs with pools
               pool_bandwidth,
               choices] = workspace.state;  // none: states are kept of runs without stops
  const KernelGraph& g = *workspace.prepared.graph;
  Checkpoint& saved = checkpoint;
  saved.progress = progress;
  events.CopyTo(saved.events);
  saved.num_slots = transfers.size();
  const std::size_t first_waiting =
      workspace.prepared.keys.is_narrow
          ? SaveQueues(narrow_queues, saved.num_slots, saved.narrow_queues)
          : SaveQueues(wide_queues, saved.num_slots, saved.wide_queues);
  Settled& settled = saved.settled;
  Settle(workspace, finish_ps, saved.events, first_waiting, settled);
  SavePending(kernels, settled.num_kernels, saved.pending);
  saved.devices = devices;
  saved.kernel_ends = kernel_ends;
  saved.ready_instant = ready_instant;
  saved.turns = turns;
  saved.idle_devices = idle_devices;
  saved.ready_devices = ready_devices;
  saved.waiting_pairs = waiting_pairs;
  saved.active_pairs = active_pairs;
  saved.blocked_pairs = blocked_pairs;
  const std::size_t end = EndOfFinished(finish_ps, settled.num_kernels);
  const std::size_t end_tensor = At(g.kernels[end].first_output);
  const std::size_t end_edge = At(g.tensors[end_tensor].first_consumer);
  const std::size_t num_tensors = g.num_tensors;
  SaveRange(storages, settled.num_tensors, end_tensor, saved.tensors);
  SaveRange(storages, num_tensors + settled.num_slots, num_tensors + saved.num_slots, saved.copies);
  saved.params = storages.back();
  SaveRange(storage_of_edge, settled.num_edges, end_edge, saved.storage_of_edge);
  SaveRange(transfers, settled.num_slots, saved.num_slots, saved.transfers);
  saved.memory = memory;
}

void RestoreState(const Checkpoint& checkpoint, Workspace& workspace) {
  const auto& [progress,  // the run takes it itself
               settled,
               pending,
               devices,
               kernel_ends,
               ready_instant,
               turns,
               idle_devices,
               ready_devices,
               waiting_pairs,
               active_pairs,
               blocked_pairs,
               tensors,
               copies,
               params,
               storage_of_edge,
               transfers,
               num_slots,
               events,
               narrow_queues,
               wide_queues,
               memory] = checkpoint;
  RunState& state = workspace.state;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    state.kernels[settled.num_kernels + i].pending = pending[i];
  }
  state.devices = devices;
  state.kernel_ends = kernel_ends;
  state.ready_instant = ready_instant;
  state.turns = turns;
  state.idle_devices = idle_devices;
  state.ready_devices = ready_devices;
  state.waiting_pairs = waiting_pairs;
  state.active_pairs = active_pairs;
  state.blocked_pairs = blocked_pairs;
  RestoreFrom(tensors, settled.num_tensors, state.storages);
  RestoreFrom(copies, workspace.prepared.graph->num_tensors + settled.num_slots, state.storages);
  state.storages.back() = params;
  RestoreFrom(storage_of_edge, settled.num_edges, state.storage_of_edge);
  state.transfers.resize(num_slots);
  RestoreFrom(transfers, settled.num_slots, state.transfers);
  state.events.Fill(events);
  if (workspace.prepared.keys.is_narrow) {
    RestoreQueues(narrow_queues, state.narrow_queues);
  } else {
    RestoreQueues(wide_queues, state.wide_queues);
  }
  state.memory = memory;
}

}  // namespace opyard::sim
