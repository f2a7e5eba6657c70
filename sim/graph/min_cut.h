// The cheapest way to part a graph in two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opyard::sim {

// Nodes that one capacity holds together: it is cut once, however its nodes are parted.
struct Net {
  std::vector<std::int32_t> nodes;  // distinct
  std::int64_t capacity = 0;        // >= 0
};

enum class CutSide : std::uint8_t { kFree, kSource, kSink };

struct MinimumCut {
  std::vector<bool> is_source_side;  // [num_nodes]
  std::int64_t capacity = 0;         // of the nets with nodes on both sides
};

// Parts the nodes in two with the least capacity cut; node i is on the side `sides[i]`, or on
// either if that is free. Of all such cuts the one with the smallest source side, which is unique.
// The maximum flow of Boykov and Kolmogorov (IEEE TPAMI 2004), by Boost.Graph; a net of more than
// two nodes becomes two vertices with an edge of its capacity between them (Yang and Wong, ICCAD
// 1994, section 3). REQUIRES: a node on either side; all capacities together are below 2^62.
[[nodiscard]] MinimumCut FindMinimumCut(std::span<const CutSide> sides, std::span<const Net> nets);

}  // namespace opyard::sim
