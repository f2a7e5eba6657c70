// The memory that a whole graph needs on one device.
#pragma once

#include "sim/base/units.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

struct OneDeviceMemory {
  Bytes parameters;  // from the beginning to the end
  Bytes peak;        // the most at any time, parameters included
};

// All ops on one device of unlimited memory, one after the other in topological order, without
// fusion, under the rules `opyard` (docs/modelling.md, "Memory"), wherever they may run. Another
// order may need less. O(ops + edges).
[[nodiscard]] OneDeviceMemory MemoryOnOneDevice(const OpGraph& graph);

}  // namespace opyard::sim
