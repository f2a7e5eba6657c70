// The arithmetic of TensorFlow's matrix products and convolutions.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "graphs/importers/common/op_work.h"
#include "graphs/importers/tensorflow/tf_graph.h"

namespace opyard::graphs {

// True for MatMul, BatchMatMul, Conv2D, Conv3D and DepthwiseConv2dNative with their gradients,
// versions, quantised and fused forms.
[[nodiscard]] bool IsTfProduct(std::string_view type);

// Nothing where a shape is missing or does not fit. What a fused form adds to the product counts by
// the rules of the ops it stands for.
[[nodiscard]] std::optional<OpWork> TfProductWork(const TfNode& node,
                                                  std::span<const TfTensor* const> arguments);

}  // namespace opyard::graphs
