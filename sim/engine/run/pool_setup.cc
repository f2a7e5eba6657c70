#include "sim/engine/run/pool_setup.h"

#include "sim/base/array_index.h"

namespace opyard::sim {
namespace {

KernelBody BodyOfKernel(const LoweredProblem& problem, const Workspace& w, std::size_t kernel) {
  const auto device = At(w.state.kernels[kernel].device);
  const std::int32_t pool = problem.pools.PoolOf(device);
  const FusedPlan* fused = w.prepared.fused;
  if (pool == LoweredPools::kNone) {
    return {};
  }
  if (fused == nullptr) {
    return problem.pools.BodyOfOp(kernel, device);
  }
  if (fused->kernels.ops_of(kernel).size() == 1) {
    return problem.pools.BodyOfOp(At(fused->kernels.ops_of(kernel).front()), device);
  }
  return BodyOf(
      fused->duration_ps[kernel],
      problem.fused_cost->Traffic(fused->kernels, fused->is_internal, kernel, DeviceId(device)),
      problem.pools.bandwidth_bytes_per_s[At(pool)]);
}

}  // namespace

void LayBodies(const LoweredProblem& problem, Workspace& workspace) {
  std::vector<KernelBody>& bodies = workspace.prepared.bodies;
  bodies.clear();
  if (problem.pools.empty()) {
    return;
  }
  bodies.reserve(problem.num_ops);
  for (std::size_t k = 0; k < workspace.state.kernels.size(); ++k) {
    bodies.push_back(BodyOfKernel(problem, workspace, k));
  }
}

void ResetPools(const LoweredProblem& problem, Workspace& workspace) {
  workspace.state.pool_memory.Reset(problem.pools.capacity_bytes);
  workspace.state.pool_bandwidth.Reset(problem.pools);
}

}  // namespace opyard::sim
