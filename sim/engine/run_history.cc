#include "sim/engine/run_history.h"

#include <limits>

namespace opyard::sim {
namespace {

// States per run: more make the steps between them shorter and remembering dearer.
constexpr std::size_t kNumCheckpoints = 24;

template <class Key>
void SaveQueues(const RunQueues<Key>& queues, ContentsOfQueues<Key>& contents) {
  queues.ready.CopyTo(contents.ready);
  queues.waiting.CopyTo(contents.waiting);
  contents.scanned = queues.scanned;
}

template <class Key>
void RestoreQueues(const ContentsOfQueues<Key>& contents, RunQueues<Key>& queues) {
  queues.ready.Fill(contents.ready);
  queues.waiting.Fill(contents.waiting);
  queues.scanned = contents.scanned;
}

}  // namespace

void Checkpoint::Save(const Workspace& workspace, const RunProgress& at) {
  const std::size_t num_tensors = workspace.graph->num_tensors;
  const auto first_copy = workspace.storages.begin() + static_cast<std::ptrdiff_t>(num_tensors);
  const auto end_copy = first_copy + static_cast<std::ptrdiff_t>(workspace.transfers.size());
  progress = at;
  pending.resize(workspace.kernels.size());
  for (std::size_t k = 0; k < pending.size(); ++k) {
    pending[k] = workspace.kernels[k].pending;
  }
  devices = workspace.devices;
  kernel_ends = workspace.kernel_ends;
  ready_instant = workspace.ready_instant;
  idle_devices = workspace.idle_devices;
  ready_devices = workspace.ready_devices;
  waiting_pairs = workspace.waiting_pairs;
  active_pairs = workspace.active_pairs;
  blocked_pairs = workspace.blocked_pairs;
  tensors.assign(workspace.storages.begin(), first_copy);
  copies.assign(first_copy, end_copy);
  params = workspace.storages.back();
  storage_of_edge = workspace.storage_of_edge;
  transfers = workspace.transfers;
  workspace.events.CopyTo(events);
  if (workspace.keys.is_narrow) {
    SaveQueues(workspace.narrow_queues, narrow_queues);
  } else {
    SaveQueues(workspace.wide_queues, wide_queues);
  }
  memory = workspace.memory;
}

void Checkpoint::Restore(Workspace& workspace) const {
  for (std::size_t k = 0; k < pending.size(); ++k) {
    workspace.kernels[k].pending = pending[k];
  }
  workspace.devices = devices;
  workspace.kernel_ends = kernel_ends;
  workspace.ready_instant = ready_instant;
  workspace.idle_devices = idle_devices;
  workspace.ready_devices = ready_devices;
  workspace.waiting_pairs = waiting_pairs;
  workspace.active_pairs = active_pairs;
  workspace.blocked_pairs = blocked_pairs;
  const auto first_copy = std::ranges::copy(tensors, workspace.storages.begin()).out;
  std::ranges::copy(copies, first_copy);
  workspace.storages.back() = params;
  workspace.storage_of_edge = storage_of_edge;
  workspace.transfers = transfers;
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
  finish_ps.assign(kernels.size(), std::numeric_limits<std::int64_t>::max());
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
  checkpoints[num_checkpoints++].Save(workspace, progress);
}

}  // namespace opyard::sim
