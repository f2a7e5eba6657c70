#include "sim/graph/topological_sort.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace opyard::sim {
namespace {

std::vector<std::int32_t> CountPredecessors(const EdgeLists& edges) {
  std::vector<std::int32_t> waiting(edges.num_nodes());
  for (std::size_t node = 0; node < edges.num_nodes(); ++node) {
    for (const std::int32_t to : edges.successors(node)) {
      ++waiting[static_cast<std::size_t>(to)];
    }
  }
  return waiting;
}

// Some cycle among the nodes that still wait. Each of them has a predecessor that waits, too, so
// walking backwards must come back to a node it has seen.
std::vector<std::int32_t> FindCycle(const EdgeLists& edges,
                                    const std::vector<std::int32_t>& waiting) {
  constexpr std::int32_t kNone = -1;
  std::vector<std::int32_t> predecessor(edges.num_nodes(), kNone);
  std::int32_t node = kNone;
  for (std::size_t from = edges.num_nodes(); from-- > 0;) {
    for (const std::int32_t to : edges.successors(from)) {
      if (waiting[from] > 0 && waiting[static_cast<std::size_t>(to)] > 0) {
        predecessor[static_cast<std::size_t>(to)] = static_cast<std::int32_t>(from);
        node = to;
      }
    }
  }
  std::vector<bool> is_seen(edges.num_nodes());
  while (!is_seen[static_cast<std::size_t>(node)]) {
    is_seen[static_cast<std::size_t>(node)] = true;
    node = predecessor[static_cast<std::size_t>(node)];
  }
  std::vector<std::int32_t> cycle;
  const std::int32_t last = node;
  do {
    cycle.push_back(node);
    node = predecessor[static_cast<std::size_t>(node)];
  } while (node != last);
  std::ranges::reverse(cycle);
  std::ranges::rotate(cycle, std::ranges::min_element(cycle));
  return cycle;
}

}  // namespace

EdgeLists::EdgeLists(std::size_t num_nodes, std::span<const Edge> edges)
    : first_(num_nodes + 1), to_(edges.size()) {
  for (const Edge& edge : edges) {
    ++first_[static_cast<std::size_t>(edge.from) + 1];
  }
  for (std::size_t node = 0; node < num_nodes; ++node) {
    first_[node + 1] += first_[node];
  }
  std::vector<std::size_t> next = first_;
  for (const Edge& edge : edges) {
    to_[next[static_cast<std::size_t>(edge.from)]++] = edge.to;
  }
}

TopologicalOrder SortTopologically(const EdgeLists& edges) {
  std::vector<std::int32_t> waiting = CountPredecessors(edges);
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> free;
  for (std::size_t node = 0; node < waiting.size(); ++node) {
    if (waiting[node] == 0) {
      free.push(static_cast<std::int32_t>(node));
    }
  }
  TopologicalOrder result;
  result.order.reserve(waiting.size());
  while (!free.empty()) {
    const std::int32_t node = free.top();
    free.pop();
    result.order.push_back(node);
    for (const std::int32_t to : edges.successors(static_cast<std::size_t>(node))) {
      if (--waiting[static_cast<std::size_t>(to)] == 0) {
        free.push(to);
      }
    }
  }
  if (result.order.size() < waiting.size()) {
    result.cycle = FindCycle(edges, waiting);
  }
  return result;
}

}  // namespace opyard::sim
