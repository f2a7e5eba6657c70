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
  is_internal.resize(graph.num_tensors());
  for (std::size_t k = 0; k < graph.num_ops(); ++k) {
    FindInternalOutputs(graph, kernels, static_cast<std::int32_t>(k), is_internal);
  }
}

void FindInternalOutputs(const OpGraph& graph,
                         const Kernels& kernels,
                         std::int32_t op,
                         std::span<std::uint8_t> is_internal) {
  const std::int32_t kernel = kernels.kernel_of[At(op)];
  const bool is_alone = kernels.ops_of(At(kernel)).size() == 1;
  const OpId id = graph.topological_order()[At(op)];
  for (std::size_t i = 0; i < graph.num_outputs(id); ++i) {
    const TensorId tensor = graph.output(id, i);
    const auto readers = graph.consumers(tensor);
    const bool stays = !is_alone && !readers.empty() && !graph.tensor(tensor).keep &&
                       std::ranges::all_of(readers, [&](OpId reader) {
                         return KernelOf(graph, kernels, reader) == kernel;
                       });
    is_internal[tensor.index()] = stays ? 1 : 0;
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
