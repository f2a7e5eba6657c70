#include "sim/graph/topological_sort.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/range/iterator_range.hpp>

#include "sim/base/check.h"
#include "sim/base/quote.h"

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

using BoostGraph = boost::compressed_sparse_row_graph<boost::directedS>;

// The edges between nodes that still wait: those of all cycles, and of what the cycles block.
BoostGraph WaitingGraph(const EdgeLists& edges, const std::vector<std::int32_t>& waiting) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t from = 0; from < edges.num_nodes(); ++from) {
    for (const std::int32_t to : edges.successors(from)) {
      if (waiting[from] > 0 && waiting[static_cast<std::size_t>(to)] > 0) {
        pairs.emplace_back(from, static_cast<std::size_t>(to));
      }
    }
  }
  return {boost::edges_are_sorted, pairs.begin(), pairs.end(), edges.num_nodes()};
}

// Finds cycles inside strong components. Each component is walked at most once, so that all walks
// together are linear.
class CycleSearch {
 public:
  explicit CycleSearch(const BoostGraph& graph)
      : graph_(graph), component_(num_vertices(graph)), before_(num_vertices(graph), kNone) {
    const auto map =
        boost::make_iterator_property_map(component_.begin(), get(boost::vertex_index, graph));
    sizes_.resize(boost::strong_components(graph, map));
    for (const std::size_t component : component_) {
      ++sizes_[component];
    }
  }

  std::vector<Cycle> Run() {
    std::vector<Cycle> cycles;
    std::vector<bool> is_known(sizes_.size());
    for (std::size_t node = 0; node < component_.size(); ++node) {
      const std::size_t component = component_[node];
      if (!is_known[component] && (sizes_[component] > 1 || HasLoop(node))) {
        cycles.push_back({.nodes = ShortestThrough(node), .num_entangled = sizes_[component]});
      }
      is_known[component] = true;
    }
    return cycles;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool HasLoop(std::size_t node) const { return edge(node, node, graph_).second; }

  // By breadth: the first edge back to `start` closes the shortest cycle. REQUIRES: there is one.
  std::vector<std::int32_t> ShortestThrough(std::size_t start) {
    std::vector<std::size_t> queue = {start};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::size_t node = queue[next];
      for (const auto& link : boost::make_iterator_range(out_edges(node, graph_))) {
        const std::size_t to = target(link, graph_);
        if (to == start) {
          return PathTo(node, start);
        }
        if (component_[to] == component_[start] && before_[to] == kNone) {
          before_[to] = node;
          queue.push_back(to);
        }
      }
    }
    OPYARD_CHECK(false, "a strong component has a cycle through each of its nodes");
    return {};
  }

  [[nodiscard]] std::vector<std::int32_t> PathTo(std::size_t node, std::size_t start) const {
    std::vector<std::int32_t> path;
    for (; node != start; node = before_[node]) {
      path.push_back(static_cast<std::int32_t>(node));
    }
    path.push_back(static_cast<std::int32_t>(start));
    std::ranges::reverse(path);
    return path;
  }

  const BoostGraph& graph_;
  std::vector<std::size_t> component_;  // of node i
  std::vector<std::size_t> sizes_;      // of component i
  std::vector<std::size_t> before_;     // on the shortest path from the start of the walk
};

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

std::string CycleText(const Cycle& cycle,
                      const std::function<const std::string&(std::size_t node)>& name_of) {
  constexpr std::size_t kMostNamed = 8;
  const std::size_t num_nodes = cycle.nodes.size();
  const std::string first = Quoted(name_of(static_cast<std::size_t>(cycle.nodes[0])));
  std::string text = "the cycle ";
  for (std::size_t i = 0; i < std::min(num_nodes, kMostNamed); ++i) {
    text += Quoted(name_of(static_cast<std::size_t>(cycle.nodes[i]))) + " -> ";
  }
  if (num_nodes > kMostNamed) {
    text += "… (" + std::to_string(num_nodes) + " ops) -> ";
  }
  text += first;
  if (cycle.num_entangled > num_nodes) {
    text += ", the shortest through " + first + " among " + std::to_string(cycle.num_entangled) +
            " that wait for each other";
  }
  return text;
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
    const BoostGraph waiting_graph = WaitingGraph(edges, waiting);
    result.cycles = CycleSearch(waiting_graph).Run();
  }
  return result;
}

}  // namespace opyard::sim
