// Kahn's order of a graph given as plain edge lists, and the cycles that prevent one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
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

// A strong component that no order can have: nodes that all reach each other, or one with an edge
// to itself.
struct Cycle {
  // The shortest cycle through the component's smallest node, from there in edge direction; among
  // equals the one whose nodes come first.
  std::vector<std::int32_t> nodes;
  std::size_t num_entangled = 0;  // all nodes of the component
};

// "the cycle "a" -> "b" -> "a", the shortest through "a" among 5 that wait for each other": without
// the second half if those are all, and with eight names at most. `name_of` is asked for nodes.
[[nodiscard]] std::string CycleText(
    const Cycle& cycle, const std::function<const std::string&(std::size_t node)>& name_of);

struct TopologicalOrder {
  std::vector<std::int32_t>
      order;  // Kahn's order, smallest index first; without nodes that a cycle blocks
  std::vector<Cycle> cycles;  // one per strong component, by smallest node; empty if there is none
};

// O(nodes · log nodes + edges), without recursion.
[[nodiscard]] TopologicalOrder SortTopologically(const EdgeLists& edges);

}  // namespace opyard::sim
