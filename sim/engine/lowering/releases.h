// The releases of a graph's ops, as the engine uses them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// [num_ops] by topological index, in picoseconds; empty if all are 0.
[[nodiscard]] std::vector<std::int64_t> ReleasesOf(const OpGraph& graph);

// Throws UnsupportedError naming an op of `graph` with a release, and the rule of `hardware` beside
// which the engine simulates none, if there are both.
void EnsureReleasesAreSimulated(const OpGraph& graph, const HardwareProfile& hardware);

}  // namespace opyard::sim
