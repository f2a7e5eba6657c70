// The output shapes of ops as numbers.
#pragma once

#include <torch/torch.h>

#include "sim/graph/op_graph.h"

namespace opyard::agents {

inline constexpr std::int64_t kShapeSide = 5;  // outputs, and dimensions of each
inline constexpr std::int64_t kShapeWidth = kShapeSide * kShapeSide;

// The sizes of the first 5 dimensions of the first 5 outputs of each op, `padding` where there is
// none: float32 [N, kShapeWidth], output after output.
[[nodiscard]] torch::Tensor OutputShapes(const sim::OpGraph& graph, float padding);

}  // namespace opyard::agents
