// Which updates of a part of a tensor can be done in place.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// An op whose only output could take over the storage of one of its inputs.
struct HloUpdate {
  std::size_t op = 0;
  std::size_t input = 0;
  Bytes bytes_of_copy;  // what it moves beside its work if it has to copy the input first
};

// Makes the outputs of `updates` aliases of their inputs where no later op, in the order of `ops`,
// reads the input or a view of it. Inputs that are kept, inputs of the step, and constants are
// excluded. The others copy: their traffic grows. Ops read earlier ones only. O(ops + edges).
void UpdateInPlace(const std::vector<HloUpdate>& updates, std::vector<sim::OpSpec>& ops);

}  // namespace opyard::graphs
