// The undirected graph of groups that partitioners cut: work and memory on the vertices, traffic on
// the edges.
#pragma once

#include <cstdint>
#include <vector>

#include "env/problem.h"
#include "sim/base/units.h"

namespace opyard::agents {

// Compressed rows; each edge stands in both. No loops, no parallel edges, rows ascending.
struct GroupGraph {
  std::vector<std::size_t> first_edge;  // of group g: [first_edge[g], first_edge[g + 1])
  std::vector<std::size_t> neighbour;   // [num_edges · 2]
  std::vector<double> edge_bytes;       // [num_edges · 2], > 0
  std::vector<double> seconds;          // [num_groups], on the first main device
  std::vector<Bytes> memory;            // [num_groups], GroupBytes

  [[nodiscard]] std::size_t num_groups() const { return seconds.size(); }
};

// An edge weighs the bytes that would travel if its two groups were on two devices: each tensor
// counts once per consuming group, both directions added. Control edges and empty tensors make no
// edge.
[[nodiscard]] GroupGraph BuildGroupGraph(const env::Problem& problem);

}  // namespace opyard::agents
