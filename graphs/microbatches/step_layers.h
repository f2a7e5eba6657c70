// The layer of each op of a step.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The layer of each op, as numbers that ascend with the forward pass.
//
// Where at least half of the ops say a layer, Op::layer; an op that says none is of the layer of
// the op before it in topological order. Else the place in the forward pass, as in the agent
// human_expert: that of a forward op is its topological index, and that of a weight the least of
// the forward ops that read it. An op of another phase stands with the last of the forward ops and
// weights that it reads, else with the first of the ops that it reads; what makes the gradient of a
// weight stands with its update. An op has the same layer in all micro-batches.
//
// Ops of one co-location label are all of the layer of the first of them. `phases` has the phase of
// each op, none unknown (KnownPhases). O(ops + edges), with a logarithm for names.
[[nodiscard]] std::vector<std::int32_t> LayersOf(const sim::OpGraph& graph,
                                                 const std::vector<sim::Phase>& phases);

}  // namespace opyard::graphs
