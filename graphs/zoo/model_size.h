// The figures of a model that papers print, counted from its graph.
#pragma once

#include <cstdint>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// Elements of the weights: of the Variables of the forward phase. Optimiser state and statistics
// are Variables of the update phase. Bytes resident beside a weight (fused updates) do not count.
[[nodiscard]] std::int64_t NumParameters(const sim::OpGraph& graph);

// FLOPs of the products and convolutions of `phase`, those ops that have a shape block; a
// multiply-add counts 2.
[[nodiscard]] Flops HeavyFlops(const sim::OpGraph& graph, sim::Phase phase);

}  // namespace opyard::graphs
