#include "sim/engine/run/run_history.h"

#include <algorithm>
#include <limits>

#include "sim/base/array_index.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/run/run_setup.h"

namespace opyard::sim {
namespace {

// States per run: more make the steps between them shorter and remembering dearer.
constexpr std::size_t kNumCheckpoints = 32;

// Returns the least slot of the transfers that wait, or `num_slots`.
template <class Key>
std::size_t SaveQueues(const RunQueues<Key>& queues,
                       std::size_t num_slots,
                       ContentsOfQueues<Key>& contents) {
  queues.ready.CopyTo(contents.ready);
  queues.waiting.CopyTo(contents.waiting);
  contents.scanned = queues.scanned;
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
  queues.ready.Fill(contents.ready);
  queues.waiting.Fill(contents.waiting);
  queues.scanned = contents.scanned;
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

}  // namespace

void Checkpoint::Settle(const Workspace& w,
                        std::span<const std::int64_t> finish_ps,
                        std::size_t first_waiting) {
  const KernelGraph& g = *w.graph;
  const auto is_finished = [&](std::int32_t kernel) { return finish_ps[At(kernel)] != kNever; };
  const auto is_released = [&](std::size_t tensor) {
    return is_finished(g.producer[tensor]) &&
           (g.tensors[tensor].alias != Alias::kNone || w.storages[tensor].num_holders == 0);
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
  while (s.num_slots < first_under_way &&
         w.storages[g.num_tensors + s.num_slots].num_holders == 0) {
    ++s.num_slots;
  }
}

void Checkpoint::Save(const Workspace& workspace,
                      std::span<const std::int64_t> finish_ps,
                      const Settled& before,
                      const RunProgress& at) {
  progress = at;
  workspace.events.CopyTo(events);
  num_slots = workspace.transfers.size();
  const std::size_t first_waiting =
      workspace.keys.is_narrow ? SaveQueues(workspace.narrow_queues, num_slots, narrow_queues)
                               : SaveQueues(workspace.wide_queues, num_slots, wide_queues);
  settled = before;
  Settle(workspace, finish_ps, first_waiting);
  pending.resize(workspace.kernels.size() - settled.num_kernels);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    pending[i] = workspace.kernels[settled.num_kernels + i].pending;
  }
  devices = workspace.devices;
  kernel_ends = workspace.kernel_ends;
  ready_instant = workspace.ready_instant;
  idle_devices = workspace.idle_devices;
  ready_devices = workspace.ready_devices;
  waiting_pairs = workspace.waiting_pairs;
  active_pairs = workspace.active_pairs;
  blocked_pairs = workspace.blocked_pairs;
  // Nothing is written of tensors that are not made.
  const KernelGraph& g = *workspace.graph;
  std::size_t end = g.num_kernels;
  while (end > settled.num_kernels && finish_ps[end - 1] == kNever) {
    --end;
  }
  const std::size_t end_tensor = At(g.kernels[end].first_output);
  const std::size_t end_edge = At(g.tensors[end_tensor].first_consumer);
  SaveRange(workspace.storages, settled.num_tensors, end_tensor, tensors);
  SaveRange(
      workspace.storages, g.num_tensors + settled.num_slots, g.num_tensors + num_slots, copies);
  params = workspace.storages.back();
  SaveRange(workspace.storage_of_edge, settled.num_edges, end_edge, storage_of_edge);
  SaveRange(workspace.transfers, settled.num_slots, num_slots, transfers);
  memory = workspace.memory;
}

void Checkpoint::Restore(Workspace& workspace) const {
  for (std::size_t i = 0; i < pending.size(); ++i) {
    workspace.kernels[settled.num_kernels + i].pending = pending[i];
  }
  workspace.devices = devices;
  workspace.kernel_ends = kernel_ends;
  workspace.ready_instant = ready_instant;
  workspace.idle_devices = idle_devices;
  workspace.ready_devices = ready_devices;
  workspace.waiting_pairs = waiting_pairs;
  workspace.active_pairs = active_pairs;
  workspace.blocked_pairs = blocked_pairs;
  RestoreFrom(tensors, settled.num_tensors, workspace.storages);
  RestoreFrom(copies, workspace.graph->num_tensors + settled.num_slots, workspace.storages);
  workspace.storages.back() = params;
  RestoreFrom(storage_of_edge, settled.num_edges, workspace.storage_of_edge);
  workspace.transfers.resize(num_slots);
  RestoreFrom(transfers, settled.num_slots, workspace.transfers);
  workspace.events.Fill(events);
  if (workspace.keys.is_narrow) {
    RestoreQueues(narrow_queues, workspace.narrow_queues);
  } else {
    RestoreQueues(wide_queues, workspace.wide_queues);
  }
  workspace.memory = memory;
}

void RunHistory::Begin(const Plan& new_plan, const Workspace& workspace) {
  plan = new_plan;
  keys = workspace.keys;
  kernels = workspace.kernels;
  AddWorkUp(kernels, workspace.devices.size(), device_total_ps);
  finish_ps.assign(kernels.size(), kNever);
  pair_sizes = workspace.queue_sizes;
  ready_sizes = workspace.num_ready;
  checkpoints.resize(kNumCheckpoints);
  num_checkpoints = 0;
}

std::size_t RunHistory::NextMark() const {
  return num_checkpoints < kNumCheckpoints
             ? kernels.size() * (num_checkpoints + 1) / (kNumCheckpoints + 1)
             : std::numeric_limits<std::size_t>::max();
}

void RunHistory::AddCheckpoint(const Workspace& workspace, const RunProgress& progress) {
  const Settled before =
      num_checkpoints == 0 ? Settled{} : checkpoints[num_checkpoints - 1].settled;
  checkpoints[num_checkpoints++].Save(workspace, finish_ps, before, progress);
}

}  // namespace opyard::sim
