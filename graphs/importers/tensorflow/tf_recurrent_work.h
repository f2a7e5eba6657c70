// The arithmetic of TensorFlow's recurrent layers that are one op.
#pragma once

#include <optional>
#include <span>

#include "graphs/importers/common/op_work.h"
#include "graphs/importers/tensorflow/tf_graph.h"

namespace opyard::graphs {

// True for CudnnRNN, BlockLSTM, LSTMBlockCell, GRUBlockCell, their versions and gradients.
[[nodiscard]] bool IsTfRecurrent(std::string_view type);

// The products of all gates, time steps, layers and directions; a gradient is twice as much.
// Nothing where a shape is missing.
[[nodiscard]] std::optional<OpWork> TfRecurrentWork(const TfNode& node,
                                                    std::span<const TfTensor* const> arguments);

}  // namespace opyard::graphs
