#include "sim/fusion/internal_tensors.h"

#include <algorithm>

namespace opyard::sim {
namespace {

std::int32_t KernelOf(const OpGraph& graph, const Kernels& kernels, OpId op) {
  return kernels.kernel_of[At(graph.topological_index(op))];
}

}  // namespace

void FindInternalTensors(const OpGraph& graph,
                         const Kernels& kernels,
                         std::vector<std::uint8_t>& is_internal) {
  is_internal.assign(graph.num_tensors(), 0);
  for (std::size_t t = 0; t < graph.num_tensors(); ++t) {
    const Tensor& tensor = graph.tensors()[t];
    const std::int32_t kernel = KernelOf(graph, kernels, tensor.producer);
    if (tensor.keep || kernels.ops_of(At(kernel)).size() == 1) {
      continue;
    }
    const auto readers = graph.consumers(TensorId(t));
    const bool stays = std::ranges::all_of(
        readers, [&](OpId reader) { return KernelOf(graph, kernels, reader) == kernel; });
    is_internal[t] = stays && !readers.empty() ? 1 : 0;
  }
}

TensorId FollowInternalAliases(const OpGraph& graph,
                               std::span<const std::uint8_t> is_internal,
                               TensorId tensor) {
  const auto names_internal = [&](const Tensor& described) {
    return described.alias == Alias::kInput && is_internal[described.aliased.index()] != 0;
  };
  while (names_internal(graph.tensor(tensor))) {
    tensor = graph.tensor(tensor).aliased;
  }
  return tensor;
}

}  // namespace opyard::sim
