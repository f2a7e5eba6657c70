// The passes of a training or inference step that pipeline schedules distinguish.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

enum class Pass : std::uint8_t {
  kParameters,      // weights, optimizer state, and views of them that cost nothing
  kForward,         // F
  kInputGradient,   // I: the backward pass of a layer as far as the layer before waits for it
  kWeightGradient,  // W: the rest of the backward pass, which only the update waits for
  kUpdate,          // of the optimizer
};

// "parameters", "F", "I", "W", "update".
[[nodiscard]] std::string_view NameOf(Pass pass);

// The phase of each op, none of them unknown. Of an op that says none, where others do:
//   backward: it depends on a backward op, and a backward op depends on it;
//   update: it depends on a backward op otherwise, or only ops of the update depend on it;
//   forward: any other.
// Throws InputError, which names the graph, where no op says a phase. O(ops + edges).
[[nodiscard]] std::vector<sim::Phase> KnownPhases(const sim::OpGraph& graph);

// For each op: whether it is a weight or optimizer state, or a view of one that costs nothing.
[[nodiscard]] std::vector<bool> ParameterOps(const sim::OpGraph& graph);

// For each op of the backward pass: whether its outputs are gradients of weights or terms of their
// sums. Such outputs are read by the update or by nobody, or else by ops that add, cast or move
// elements and make such gradients themselves. O(ops + edges).
[[nodiscard]] std::vector<bool> WeightGradientOps(const sim::OpGraph& graph,
                                                  const std::vector<sim::Phase>& phases);

// The pass of each op. A backward op is of pass I if a backward op of another layer depends on it,
// unless it makes a gradient of a weight (WeightGradientOps); else it is of pass W. So all backward
// ops of the layer that the backward pass reaches last are of pass W. An update op that depends on
// the forward pass and on no gradient (moving averages of batch statistics) is of pass F. `layers`
// has one number per op. O(ops + edges).
[[nodiscard]] std::vector<Pass> PassesOf(const sim::OpGraph& graph,
                                         const std::vector<sim::Phase>& phases,
                                         const std::vector<std::int32_t>& layers);

}  // namespace opyard::graphs
