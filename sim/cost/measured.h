// Measured run times that stand in the graph.
#pragma once

#include <optional>

#include "sim/graph/op_graph.h"
#include "sim/hardware/device.h"

namespace opyard::sim {

// The measured seconds of `op` on `device`: the entry for its name, else its type, else its kind,
// else "*"; nothing if none fits.
[[nodiscard]] std::optional<double> FindMeasuredSeconds(const OpGraph& graph,
                                                        OpId op,
                                                        const Device& device);

}  // namespace opyard::sim
