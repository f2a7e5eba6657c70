// Reverse-mode differentiation of the ops of a GraphBuilder.
#pragma once

#include <vector>

#include "graphs/builder/graph_builder.h"

namespace opyard::graphs {

// A weight and the gradient of the loss by it.
struct WeightGradient {
  VariableInfo weight;
  Tensor gradient;
};

// Adds the backward pass of scalar `loss`: ops of phase backward, with the layer of the op that
// they differentiate, named "gradients/…" after it. Where several contributions meet they are
// summed by AddN. Those of one weight are summed one after the other as they appear, so that an
// unrolled network never holds one gradient of a weight per step. The ops that make a weight's
// gradient share the weight's device.
//
// Returns the trainable weights that `loss` depends on, in the order in which they were added.
// O(ops). InternalError where `loss` depends on a weight through a type without a gradient rule.
std::vector<WeightGradient> Differentiate(GraphBuilder& builder, const Tensor& loss);

}  // namespace opyard::graphs
