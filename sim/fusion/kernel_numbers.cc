#include "sim/fusion/kernel_numbers.h"

#include <algorithm>
#include <cstdint>

namespace opyard::sim {
namespace {

// Sorts the ops by kernel. Meanwhile first_op is the place of the next op of a kernel.
void ListOps(Kernels& kernels) {
  const std::size_t num_ops = kernels.kernel_of.size();
  kernels.ops.resize(num_ops);
  for (std::size_t k = 0; k < num_ops; ++k) {
    std::int32_t& place = kernels.first_op[At(kernels.kernel_of[k])];
    kernels.ops[At(place++)] = static_cast<std::int32_t>(k);
  }
  std::copy_backward(
      kernels.first_op.begin(), kernels.first_op.end() - 2, kernels.first_op.end() - 1);
  kernels.first_op.front() = 0;
}

}  // namespace

void NumberKernels(const FusionGraph& graph,
                   const ClusterSet& clusters,
                   FusionWorkspace& workspace) {
  Kernels& kernels = workspace.kernels;
  workspace.kernel_of_cluster.assign(graph.num_ops, -1);
  kernels.kernel_of.resize(graph.num_ops);
  kernels.first_op.clear();
  kernels.first_op.reserve(graph.num_ops + 1);
  std::int32_t num_numbered = 0;
  for (std::size_t k = 0; k < graph.num_ops; ++k) {
    const std::int32_t cluster = clusters.cluster_of(static_cast<std::int32_t>(k));
    std::int32_t& kernel = workspace.kernel_of_cluster[At(cluster)];
    if (kernel < 0) {
      kernel = static_cast<std::int32_t>(kernels.first_op.size());
      kernels.first_op.push_back(num_numbered);
      num_numbered += clusters.size(cluster);
    }
    kernels.kernel_of[k] = kernel;
  }
  kernels.num_kernels = kernels.first_op.size();
  kernels.first_op.push_back(num_numbered);
  ListOps(kernels);
}

}  // namespace opyard::sim
