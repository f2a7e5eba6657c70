#include "sim/hardware/cheapest_paths.h"

#include <limits>
#include <utility>

#include <boost/graph/dijkstra_shortest_paths.hpp>

#include "sim/hardware/boost_graph.h"

namespace opyard::sim {

// The machine as data from one device sees it: other devices are where paths end.
struct MachineSeenFrom {
  const MachineGraph& machine;
  std::int32_t start;
};

[[nodiscard]] std::size_t num_vertices(const MachineSeenFrom& view) {
  return num_vertices(view.machine);
}
[[nodiscard]] auto vertices(const MachineSeenFrom& view) {
  return vertices(view.machine);
}
[[nodiscard]] std::int32_t source(const MachineEdge& edge, const MachineSeenFrom& /*view*/) {
  return edge.from;
}
[[nodiscard]] std::int32_t target(const MachineEdge& edge, const MachineSeenFrom& /*view*/) {
  return edge.to;
}
[[nodiscard]] auto out_edges(std::int32_t vertex, const MachineSeenFrom& view) {
  auto edges = out_edges(vertex, view.machine);
  if (vertex != view.start && view.machine.is_device(vertex)) {
    edges.second = edges.first;
  }
  return edges;
}
[[nodiscard]] std::size_t out_degree(std::int32_t vertex, const MachineSeenFrom& view) {
  const auto [begin, end] = out_edges(vertex, view);
  return static_cast<std::size_t>(end - begin);
}

}  // namespace opyard::sim

template <>
struct boost::graph_traits<opyard::sim::MachineSeenFrom>
    : boost::graph_traits<opyard::sim::MachineGraph> {};

namespace opyard::sim {
namespace {

constexpr std::int64_t kMostWeight = std::numeric_limits<std::int64_t>::max();

// The best path to a vertex: what it costs, and its last edge. The paths to the vertices on the way
// are settled before, so that following `from` gives all of its links.
struct Path {
  std::int64_t picoseconds = kMostWeight;
  std::int32_t hops = std::numeric_limits<std::int32_t>::max();
  std::int32_t from = -1;
  std::int32_t link = -1;
};

// One edge more. Leaving a bus is no hop of its own, and costs nothing.
struct Extend {
  const MachineGraph& machine;

  Path operator()(const Path& path, const MachineEdge& edge) const {
    const std::int64_t step = machine.picoseconds(edge);
    return {.picoseconds =
                path.picoseconds > kMostWeight - step ? kMostWeight : path.picoseconds + step,
            .hops = path.hops + (machine.is_bus(edge.from) ? 0 : 1),
            .from = edge.from,
            .link = edge.link};
  }
};

// The tie rule as a strict weak order of paths.
struct IsBetter {
  const MachineGraph& machine;
  const std::vector<Path>& paths;

  bool operator()(const Path& a, const Path& b) const {
    if (a.picoseconds != b.picoseconds) {
      return a.picoseconds < b.picoseconds;
    }
    return a.hops != b.hops ? a.hops < b.hops : HasEarlierLinks(a, b);
  }

  // True if `a` is the first of two paths with equally many hops. Walks back until they meet: the
  // earliest difference counts.
  [[nodiscard]] bool HasEarlierLinks(const Path& a, const Path& b) const {
    bool is_earlier = false;
    const Path* left = &a;
    const Path* right = &b;
    for (std::int32_t hop = a.hops; hop > 0; --hop) {
      left = IntoBus(left);
      right = IntoBus(right);
      if (left->link != right->link) {
        is_earlier = left->link < right->link;
      }
      if (left->from == right->from) {
        break;
      }
      left = &paths[static_cast<std::size_t>(left->from)];
      right = &paths[static_cast<std::size_t>(right->from)];
    }
    return is_earlier;
  }

  // `path`, or if its last edge leaves a bus, the path that ends on the bus.
  [[nodiscard]] const Path* IntoBus(const Path* path) const {
    return machine.is_bus(path->from) ? &paths[static_cast<std::size_t>(path->from)] : path;
  }
};

// An edge is its own weight: what it adds to a path says Extend.
struct EdgeItself {
  using key_type = MachineEdge;
  using value_type = MachineEdge;
  using reference = MachineEdge;
  using category = boost::readable_property_map_tag;
  friend MachineEdge get(const EdgeItself& /*map*/, const MachineEdge& edge) { return edge; }
};

}  // namespace

std::vector<PathStep> CheapestPaths(const MachineGraph& machine, DeviceId src) {
  std::vector<Path> paths(num_vertices(machine));
  const MachineSeenFrom view = {.machine = machine, .start = src.value};
  const auto index = get(boost::vertex_index, machine);
  boost::dijkstra_shortest_paths(view,
                                 src.value,
                                 boost::dummy_property_map(),
                                 boost::make_iterator_property_map(paths.begin(), index),
                                 EdgeItself(),
                                 index,
                                 IsBetter{.machine = machine, .paths = paths},
                                 Extend{.machine = machine},
                                 Path(),
                                 Path{.picoseconds = 0, .hops = 0},
                                 boost::dijkstra_visitor<>());
  std::vector<PathStep> steps(static_cast<std::size_t>(machine.num_nodes()));
  for (std::size_t node = 0; node < steps.size(); ++node) {
    const Path& path = paths[node];
    const bool is_over_bus = machine.is_bus(path.from);
    const NodeIndex from =
        is_over_bus ? paths[static_cast<std::size_t>(path.from)].from : path.from;
    steps[node] = {.from = from, .link = path.link};
  }
  return steps;
}

}  // namespace opyard::sim
