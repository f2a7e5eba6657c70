#include "sim/engine/run/workspace_reset.h"

#include "sim/base/array_index.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/engine/run/pool_accounts.h"

namespace opyard::sim {
namespace {

template <class Key>
void ResetQueuesOf(const LoweredProblem& problem,
                   std::span<const std::int32_t> num_ready,
                   const Workspace& workspace,
                   RunQueues<Key>& queues) {
  const std::vector<std::int32_t>& num_waiting = workspace.prepared.queue_sizes;
  queues.ready.Reset(num_ready, workspace.prepared.keys);
  queues.waiting.Reserve(num_waiting.size(), problem.unfused.num_uses);
  queues.waiting.Reset(num_waiting);
  queues.scanned.clear();
  queues.scanned.reserve(problem.scans_transfers ? problem.unfused.num_uses : 0);
  queues.set_aside.reserve(problem.rules.waits_for_memory ? problem.num_ops : 0);
}

}  // namespace

void ResetQueues(const LoweredProblem& problem,
                 std::span<const std::int32_t> num_ready,
                 Workspace& workspace) {
  if (workspace.prepared.keys.is_narrow) {
    ResetQueuesOf(problem, num_ready, workspace, workspace.state.narrow_queues);
  } else {
    ResetQueuesOf(problem, num_ready, workspace, workspace.state.wide_queues);
  }
}

void AddWorkUp(std::span<const KernelState> kernels,
               std::size_t num_devices,
               std::vector<std::int64_t>& total_ps) {
  total_ps.assign(num_devices, 0);
  for (const KernelState& kernel : kernels) {
    total_ps[At(kernel.device)] += kernel.duration_ps;
  }
}

// Room is made for what a plan without fusion needs, which is the most.
void MakeRoom(const LoweredProblem& problem, Workspace& workspace) {
  const KernelGraph& g = *workspace.prepared.graph;
  const KernelGraph& most = problem.unfused;
  const std::size_t num_devices = problem.num_devices;
  workspace.state.storages.reserve(most.num_tensors + most.num_uses + 1);
  workspace.state.storages.resize(g.num_tensors + g.num_uses + 1);
  workspace.state.storages.back() = {};
  workspace.state.storage_of_edge.reserve(most.num_edges());
  workspace.state.storage_of_edge.resize(g.num_edges());
  workspace.state.events.Reset(2 * num_devices + most.num_uses + most.control_consumers.size() +
                               (problem.rules.dispatch_ps > 0 ? most.num_kernels : 0) +
                               most.release_ps.size() +
                               (problem.rules.is_placeto ? most.num_edges() : 0));
  workspace.state.transfers.reserve(most.num_uses);
  workspace.scratch.finished.reserve(num_devices);
  workspace.scratch.released.resize(most.num_kernels);
  workspace.scratch.remote.assign(num_devices, {});
  workspace.scratch.touched_devices.assign(NumWords(num_devices), 0);
}

std::optional<FailedAllocation> AllocateParams(const LoweredProblem& problem,
                                               Workspace& workspace) {
  for (const std::int32_t op : problem.ops_with_params) {
    const std::int64_t bytes = problem.param_bytes[At(op)];
    const std::int32_t device = workspace.state.kernels[workspace.prepared.KernelOf(At(op))].device;
    if (device == KernelState::kNoDevice) {
      continue;
    }
    if (!HasRoom(AccountOf(problem, workspace.state, At(device)), bytes)) {
      return FailedAllocation{
          .what = FailedAllocation::What::kParams, .subject = op, .device = device, .bytes = bytes};
    }
    TakeShared(problem, workspace.state, At(device), bytes, 0);
  }
  return std::nullopt;
}

}  // namespace opyard::sim
