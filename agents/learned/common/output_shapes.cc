#include "agents/learned/common/output_shapes.h"

#include <algorithm>
#include <span>

namespace opyard::agents {

torch::Tensor OutputShapes(const sim::OpGraph& graph, float padding) {
  const auto num_ops = static_cast<std::int64_t>(graph.num_ops());
  torch::Tensor shapes = torch::full({num_ops, kShapeWidth}, padding);
  auto cell = shapes.accessor<float, 2>();
  for (std::int64_t op = 0; op < num_ops; ++op) {
    const OpId id(static_cast<std::size_t>(op));
    const auto num_outputs = std::min<std::size_t>(graph.num_outputs(id), kShapeSide);
    for (std::size_t output = 0; output < num_outputs; ++output) {
      const std::span<const std::int64_t> shape = graph.shape(graph.output(id, output));
      for (std::size_t i = 0; i < std::min<std::size_t>(shape.size(), kShapeSide); ++i) {
        cell[op][static_cast<std::int64_t>(output * kShapeSide + i)] = static_cast<float>(shape[i]);
      }
    }
  }
  return shapes;
}

}  // namespace opyard::agents
