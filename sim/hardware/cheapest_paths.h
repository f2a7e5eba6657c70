// The cheapest ways from one device to all other nodes of a machine.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/hardware/link.h"

namespace opyard::sim {

class MachineGraph;

// The step that reached a node: over `link` from `from`; both -1 for the start and where none did.
struct PathStep {
  NodeIndex from = -1;
  std::int32_t link = -1;
};

// The last step of the cheapest path from `src` to each node, through switches only. A path costs
// Σ (latency + 1 MiB / bandwidth) in whole picoseconds; ties go to fewer hops, then to the
// lexicographically first sequence of link indices, in order of travel. Dijkstra's algorithm of
// Boost.Graph over that triple, which is the lexicographic weight of a path: one link more never
// turns the better of two paths into the worse, since paths that tie in the first two are equally
// long. O(ends of links · log), times the hops where paths tie.
[[nodiscard]] std::vector<PathStep> CheapestPaths(const MachineGraph& machine, DeviceId src);

}  // namespace opyard::sim
