// Training steps whose pipelines can be computed by hand: a chain of equal layers.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/graph/op_graph.h"

namespace opyard::testing {

struct LayerChain {
  std::int32_t num_layers = 1;
  std::int64_t forward_us = 1;           // of a layer, on every device
  std::int64_t input_gradient_us = 1;    // of a layer
  std::int64_t weight_gradient_us = 1;   // of a layer
  std::int64_t activation_bytes = 1000;  // of all tensors between layers; gradients are as large
  // The weight of each layer, a Variable, and the update of it, which takes no time; 0 for none.
  std::int64_t weight_bytes = 0;
};

// One step of `chain`: op "x", a Placeholder of layer -1, then for layer i the ops "forward/i",
// "input/i" and "weight/i" (gradients; phase backward), with weights also "variable/i" and
// "update/i", which share a device, and at last "gradient/x", of layer -1. Layer i reads the output
// of layer i - 1. "input/i" and "weight/i" read "input/i+1", or the output of the last layer, and
// "weight/i" the input of its layer. "x" and "gradient/x" take no time: all layers are equal.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> MakeLayerChain(const LayerChain& chain);

}  // namespace opyard::testing
