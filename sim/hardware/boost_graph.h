// A machine as a graph of Boost.Graph, so that its algorithms run on it as they stand.
//
// Vertices are the nodes of the HardwareProfile (devices first, then switches) and, after them, one
// for each bus, that is each link of more than two nodes. A link of two nodes is an edge in each
// direction, also where it is half-duplex: edges say where data can go, not what shares a channel.
// A bus has an edge from each of its nodes to its own vertex, which costs what the bus costs, and
// one back, which costs nothing: 2·n edges instead of n·(n − 1). MachineGraph models
// VertexListGraph, EdgeListGraph, IncidenceGraph, BidirectionalGraph and AdjacencyGraph.
// Properties: vertex_index and edge_weight, the latency plus the time of 1 MiB in picoseconds.
//
// Data travels through switches and buses, but never through a device on its way: that is for the
// algorithm to respect (cheapest_paths.cc shows how).
//
// This header brings Boost.Graph with it. It is for users, and for sources off the hot path; other
// headers, and layers above sim, ask RouteTable instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_iterator.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>

#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// One direction of a link, or a way into or out of a bus. Vertices, not ids of devices.
struct MachineEdge {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t link = 0;
  friend bool operator==(const MachineEdge&, const MachineEdge&) = default;
};

// The vertices and edges of one profile; a copy, so the profile may go. O(ends of links) to make.
class MachineGraph {
 public:
  explicit MachineGraph(const HardwareProfile& profile);

  [[nodiscard]] std::int32_t num_devices() const { return num_devices_; }
  // Devices and switches; the vertices from here on are buses.
  [[nodiscard]] std::int32_t num_nodes() const { return num_nodes_; }
  [[nodiscard]] bool is_device(std::int32_t vertex) const { return vertex < num_devices_; }
  [[nodiscard]] bool is_bus(std::int32_t vertex) const { return vertex >= num_nodes_; }

  [[nodiscard]] std::int32_t num_vertices() const {
    return static_cast<std::int32_t>(first_.size()) - 1;
  }
  // By `from`, then by link, then by `to`.
  [[nodiscard]] const std::vector<MachineEdge>& edges() const { return edges_; }
  // Where the edges out of `vertex` begin in edges(); num_vertices() gives the end of all.
  [[nodiscard]] std::ptrdiff_t first_edge(std::int32_t vertex) const {
    return first_[static_cast<std::size_t>(vertex)];
  }
  // Saturates at the end of the range: no machine is fast enough to reach it by sums alone.
  [[nodiscard]] std::int64_t picoseconds(const MachineEdge& edge) const {
    return is_bus(edge.from) ? 0 : picoseconds_[static_cast<std::size_t>(edge.link)];
  }

 private:
  std::int32_t num_devices_;
  std::int32_t num_nodes_;
  std::vector<MachineEdge> edges_;
  std::vector<std::ptrdiff_t> first_;      // [num_vertices + 1]
  std::vector<std::int64_t> picoseconds_;  // of link i
};

// The same edge, the other way; every edge has its opposite.
struct OppositeEdge {
  MachineEdge operator()(const MachineEdge& edge) const {
    return {.from = edge.to, .to = edge.from, .link = edge.link};
  }
};

// The property maps; read-only.
struct MachineVertexIndexMap {
  using key_type = std::int32_t;
  using value_type = std::size_t;
  using reference = std::size_t;
  using category = boost::readable_property_map_tag;
  friend std::size_t get(const MachineVertexIndexMap& /*map*/, std::int32_t vertex) {
    return static_cast<std::size_t>(vertex);
  }
};

struct MachineEdgeWeightMap {
  using key_type = MachineEdge;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::readable_property_map_tag;
  const MachineGraph* graph = nullptr;
  friend std::int64_t get(const MachineEdgeWeightMap& map, const MachineEdge& edge) {
    return map.graph->picoseconds(edge);
  }
};

[[nodiscard]] inline MachineVertexIndexMap get(boost::vertex_index_t /*tag*/,
                                               const MachineGraph& /*graph*/) {
  return {};
}
[[nodiscard]] inline std::size_t get(boost::vertex_index_t /*tag*/,
                                     const MachineGraph& /*graph*/,
                                     std::int32_t vertex) {
  return static_cast<std::size_t>(vertex);
}
[[nodiscard]] inline MachineEdgeWeightMap get(boost::edge_weight_t /*tag*/,
                                              const MachineGraph& graph) {
  return {.graph = &graph};
}
[[nodiscard]] inline std::int64_t get(boost::edge_weight_t /*tag*/,
                                      const MachineGraph& graph,
                                      const MachineEdge& edge) {
  return graph.picoseconds(edge);
}

}  // namespace opyard::sim

template <>
struct boost::graph_traits<opyard::sim::MachineGraph> {
  struct traversal_category : boost::bidirectional_graph_tag,
                              boost::adjacency_graph_tag,
                              boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag {};
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using vertex_descriptor = std::int32_t;
  using edge_descriptor = opyard::sim::MachineEdge;
  using vertex_iterator = boost::counting_iterator<std::int32_t>;
  using edge_iterator = std::vector<opyard::sim::MachineEdge>::const_iterator;
  using out_edge_iterator = edge_iterator;
  using in_edge_iterator =
      boost::transform_iterator<opyard::sim::OppositeEdge, edge_iterator, edge_descriptor>;
  using adjacency_iterator = boost::adjacency_iterator_generator<opyard::sim::MachineGraph,
                                                                 vertex_descriptor,
                                                                 out_edge_iterator>::type;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return -1; }
};

// Some algorithms ask for the traits of the const graph that they are given.
template <>
struct boost::graph_traits<const opyard::sim::MachineGraph>
    : boost::graph_traits<opyard::sim::MachineGraph> {};

template <>
struct boost::property_map<opyard::sim::MachineGraph, boost::vertex_index_t> {
  using type = opyard::sim::MachineVertexIndexMap;
  using const_type = type;
};

template <>
struct boost::property_map<opyard::sim::MachineGraph, boost::edge_weight_t> {
  using type = opyard::sim::MachineEdgeWeightMap;
  using const_type = type;
};

namespace opyard::sim {

using MachineGraphTraits = boost::graph_traits<MachineGraph>;

// The functions that the concepts require.
[[nodiscard]] inline std::size_t num_vertices(const MachineGraph& graph) {
  return static_cast<std::size_t>(graph.num_vertices());
}
[[nodiscard]] inline std::pair<MachineGraphTraits::vertex_iterator,
                               MachineGraphTraits::vertex_iterator>
vertices(const MachineGraph& graph) {
  return {MachineGraphTraits::vertex_iterator(0),
          MachineGraphTraits::vertex_iterator(graph.num_vertices())};
}
[[nodiscard]] inline std::size_t num_edges(const MachineGraph& graph) {
  return graph.edges().size();
}
[[nodiscard]] inline std::pair<MachineGraphTraits::edge_iterator, MachineGraphTraits::edge_iterator>
edges(const MachineGraph& graph) {
  return {graph.edges().begin(), graph.edges().end()};
}
[[nodiscard]] inline std::int32_t source(const MachineEdge& edge, const MachineGraph& /*graph*/) {
  return edge.from;
}
[[nodiscard]] inline std::int32_t target(const MachineEdge& edge, const MachineGraph& /*graph*/) {
  return edge.to;
}
[[nodiscard]] inline std::pair<MachineGraphTraits::out_edge_iterator,
                               MachineGraphTraits::out_edge_iterator>
out_edges(std::int32_t vertex, const MachineGraph& graph) {
  return {graph.edges().begin() + graph.first_edge(vertex),
          graph.edges().begin() + graph.first_edge(vertex + 1)};
}
[[nodiscard]] inline std::size_t out_degree(std::int32_t vertex, const MachineGraph& graph) {
  return static_cast<std::size_t>(graph.first_edge(vertex + 1) - graph.first_edge(vertex));
}
[[nodiscard]] inline std::pair<MachineGraphTraits::in_edge_iterator,
                               MachineGraphTraits::in_edge_iterator>
in_edges(std::int32_t vertex, const MachineGraph& graph) {
  const auto [begin, end] = out_edges(vertex, graph);
  return {MachineGraphTraits::in_edge_iterator(begin), MachineGraphTraits::in_edge_iterator(end)};
}
[[nodiscard]] inline std::size_t in_degree(std::int32_t vertex, const MachineGraph& graph) {
  return out_degree(vertex, graph);
}
[[nodiscard]] inline std::size_t degree(std::int32_t vertex, const MachineGraph& graph) {
  return in_degree(vertex, graph) + out_degree(vertex, graph);
}
[[nodiscard]] inline std::pair<MachineGraphTraits::adjacency_iterator,
                               MachineGraphTraits::adjacency_iterator>
adjacent_vertices(std::int32_t vertex, const MachineGraph& graph) {
  const auto [begin, end] = out_edges(vertex, graph);
  return {MachineGraphTraits::adjacency_iterator(begin, &graph),
          MachineGraphTraits::adjacency_iterator(end, &graph)};
}

}  // namespace opyard::sim
