#include "sim/fusion/tensor_names.h"

#include <ranges>

namespace opyard::sim {

TensorNames::TensorNames(const OpGraph& graph, std::span<const std::uint8_t> is_zero_cost)
    : in_order_(graph.num_tensors()), place_(graph.num_tensors()), num_names_(graph.num_tensors()) {
  const auto is_name = [&](const Tensor& tensor) {
    return tensor.alias == Alias::kInput && is_zero_cost[tensor.producer.index()] != 0;
  };
  for (const OpId op : std::views::reverse(graph.topological_order())) {
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      const TensorId output = graph.output(op, i);
      if (const Tensor& tensor = graph.tensor(output); is_name(tensor)) {
        num_names_[tensor.aliased.index()] += num_names_[output.index()] + 1;
      }
    }
  }
  std::int32_t end = 0;
  std::vector<std::int32_t> next_name(graph.num_tensors());  // its place, by what it is a name of
  for (const OpId op : graph.topological_order()) {
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      const TensorId output = graph.output(op, i);
      const Tensor& tensor = graph.tensor(output);
      std::int32_t& next = is_name(tensor) ? next_name[tensor.aliased.index()] : end;
      place_[output.index()] = next;
      next += num_names_[output.index()] + 1;
      next_name[output.index()] = place_[output.index()] + 1;
      in_order_[At(place_[output.index()])] = output;
    }
  }
}

}  // namespace opyard::sim
