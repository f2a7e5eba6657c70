// Kahn's order of a graph given as plain edge lists, and the cycle that prevents one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opyard::sim {

// Successor lists of nodes 0 … n−1 in one array. An edge may appear more than once.
class EdgeLists {
 public:
  struct Edge {
    std::int32_t from = 0;
    std::int32_t to = 0;
  };

  // Keeps the order of `edges` within each node. REQUIRES: ends in [0, num_nodes). O(nodes +
  // edges).
  EdgeLists(std::size_t num_nodes, std::span<const Edge> edges);

  [[nodiscard]] std::size_t num_nodes() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const std::int32_t> successors(std::size_t node) const {
    return std::span<const std::int32_t>(to_).subspan(first_[node],
                                                      first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::size_t> first_;  // [num_nodes + 1]
  std::vector<std::int32_t> to_;
};

struct TopologicalOrder {
  std::vector<std::int32_t>
      order;  // Kahn's order, smallest index first; without nodes that a cycle blocks
  std::vector<std::int32_t> cycle;  // one cycle in edge direction; empty if there is none
};

// O(nodes · log nodes + edges).
[[nodiscard]] TopologicalOrder SortTopologically(const EdgeLists& edges);

}  // namespace opyard::sim
