// Dependencies of an op under the rules `placeto` (docs/modelling.md, section 6).
#pragma once

#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::sim {

struct PlacetoReads {
  std::vector<TensorId> tensors;  // one per op that it reads, by that op's id
  std::vector<OpId> signals;      // control inputs from ops without outputs, which only order
};

// Where `op` reads several outputs of one op, the last that it lists counts, control inputs last: a
// control edge reads output 0.
[[nodiscard]] PlacetoReads ReadsForPlaceto(const OpGraph& graph, OpId op);

}  // namespace opyard::sim
