// An OpGraph as a graph of Boost.Graph, so that its algorithms run on it as they stand.
//
// Vertices are the ops. Edges are the data edges, one per tensor and op that reads it (however
// often), and the control edges. OpGraph itself models VertexListGraph, EdgeListGraph,
// IncidenceGraph, BidirectionalGraph and AdjacencyGraph; the graph is directed, has no cycles, and
// two ops may have several edges between them. Properties: vertex_index (0 … ops − 1), vertex_name
// (the op's name) and edge_weight (the bytes that travel; 0 for control edges).
//
// This header brings Boost.Graph with it. It is for users, and for sources off the hot path; other
// headers, and layers above sim, call plain functions of sim/graph instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <boost/graph/adjacency_iterator.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>

#include "sim/graph/op_graph.h"

namespace opyard::sim {

// The tensor that travels, or none: a control edge.
struct OpEdge {
  OpId from;
  OpId to;
  std::optional<TensorId> tensor;
  friend bool operator==(const OpEdge&, const OpEdge&) = default;
};

// All ops, by index.
class OpIterator
    : public boost::iterator_facade<OpIterator, OpId, boost::random_access_traversal_tag, OpId> {
 public:
  OpIterator() = default;
  explicit OpIterator(std::size_t op) : op_(static_cast<std::int32_t>(op)) {}

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] OpId dereference() const { return OpId(op_); }
  [[nodiscard]] bool equal(const OpIterator& other) const { return op_ == other.op_; }
  void increment() { ++op_; }
  void decrement() { --op_; }
  void advance(std::ptrdiff_t steps) { op_ += static_cast<std::int32_t>(steps); }
  [[nodiscard]] std::ptrdiff_t distance_to(const OpIterator& other) const {
    return other.op_ - op_;
  }

  std::int32_t op_ = 0;
};

// The edges out of one op: by output, then by consumer; then the control edges.
class OutEdgeIterator
    : public boost::iterator_facade<OutEdgeIterator, OpEdge, boost::forward_traversal_tag, OpEdge> {
 public:
  OutEdgeIterator() = default;
  [[nodiscard]] static OutEdgeIterator Begin(const OpGraph& graph, OpId op);
  [[nodiscard]] static OutEdgeIterator End(const OpGraph& graph, OpId op);

 private:
  friend class boost::iterator_core_access;
  // `list`: an output, or, past the last, the control edges, or, past them, the end.
  OutEdgeIterator(const OpGraph& graph, OpId op, std::size_t list)
      : graph_(&graph), op_(op), list_(list) {}
  [[nodiscard]] std::span<const OpId> Targets() const;
  void SkipEmptyLists();
  [[nodiscard]] OpEdge dereference() const;
  [[nodiscard]] bool equal(const OutEdgeIterator& other) const {
    return op_ == other.op_ && list_ == other.list_ && position_ == other.position_;
  }
  void increment();

  const OpGraph* graph_ = nullptr;
  OpId op_;
  std::size_t list_ = 0;
  std::size_t position_ = 0;  // in the list
};

// The edges into one op: each tensor that it reads, by first argument; then the control edges.
// O(k²) for all of an op with k arguments, because a tensor may come again.
class InEdgeIterator
    : public boost::iterator_facade<InEdgeIterator, OpEdge, boost::forward_traversal_tag, OpEdge> {
 public:
  InEdgeIterator() = default;
  [[nodiscard]] static InEdgeIterator Begin(const OpGraph& graph, OpId op);
  [[nodiscard]] static InEdgeIterator End(const OpGraph& graph, OpId op);

 private:
  friend class boost::iterator_core_access;
  InEdgeIterator(const OpGraph& graph, OpId op, std::size_t position)
      : graph_(&graph), op_(op), position_(position) {}
  [[nodiscard]] bool IsRepeated() const;
  [[nodiscard]] OpEdge dereference() const;
  [[nodiscard]] bool equal(const InEdgeIterator& other) const {
    return op_ == other.op_ && position_ == other.position_;
  }
  void increment();

  const OpGraph* graph_ = nullptr;
  OpId op_;
  std::size_t position_ = 0;  // in the arguments, then in the control inputs
};

// All edges: those out of op 0, then those out of op 1 and so on.
class EdgeIterator
    : public boost::iterator_facade<EdgeIterator, OpEdge, boost::forward_traversal_tag, OpEdge> {
 public:
  EdgeIterator() = default;
  [[nodiscard]] static EdgeIterator Begin(const OpGraph& graph);
  [[nodiscard]] static EdgeIterator End(const OpGraph& graph);

 private:
  friend class boost::iterator_core_access;
  EdgeIterator(const OpGraph& graph, std::size_t op) : graph_(&graph), op_(op) {}
  void SkipSinks();
  [[nodiscard]] OpEdge dereference() const { return *edge_; }
  [[nodiscard]] bool equal(const EdgeIterator& other) const {
    return op_ == other.op_ && edge_ == other.edge_;
  }
  void increment();

  const OpGraph* graph_ = nullptr;
  std::size_t op_ = 0;
  OutEdgeIterator edge_;  // of op_; singular at the end
};

// The property maps; read-only.
struct OpIndexMap {
  using key_type = OpId;
  using value_type = std::size_t;
  using reference = std::size_t;
  using category = boost::readable_property_map_tag;
  friend std::size_t get(const OpIndexMap& /*map*/, OpId op) { return op.index(); }
  std::size_t operator[](OpId op) const { return op.index(); }
};

struct OpNameMap {
  using key_type = OpId;
  using value_type = std::string;
  using reference = const std::string&;
  using category = boost::readable_property_map_tag;
  const OpGraph* graph = nullptr;
  friend const std::string& get(const OpNameMap& map, OpId op) { return map.graph->op(op).name; }
  const std::string& operator[](OpId op) const { return graph->op(op).name; }
};

struct EdgeBytesMap {
  using key_type = OpEdge;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::readable_property_map_tag;
  const OpGraph* graph = nullptr;
  friend std::int64_t get(const EdgeBytesMap& map, const OpEdge& edge) { return map[edge]; }
  std::int64_t operator[](const OpEdge& edge) const {
    return edge.tensor ? graph->tensor(*edge.tensor).bytes.count : 0;
  }
};

[[nodiscard]] inline OpIndexMap get(boost::vertex_index_t /*tag*/, const OpGraph& /*graph*/) {
  return {};
}
[[nodiscard]] inline std::size_t get(boost::vertex_index_t /*tag*/,
                                     const OpGraph& /*graph*/,
                                     OpId op) {
  return op.index();
}
[[nodiscard]] inline OpNameMap get(boost::vertex_name_t /*tag*/, const OpGraph& graph) {
  return {.graph = &graph};
}
[[nodiscard]] inline const std::string& get(boost::vertex_name_t /*tag*/,
                                            const OpGraph& graph,
                                            OpId op) {
  return graph.op(op).name;
}
[[nodiscard]] inline EdgeBytesMap get(boost::edge_weight_t /*tag*/, const OpGraph& graph) {
  return {.graph = &graph};
}
[[nodiscard]] inline std::int64_t get(boost::edge_weight_t /*tag*/,
                                      const OpGraph& graph,
                                      const OpEdge& edge) {
  return EdgeBytesMap{.graph = &graph}[edge];
}

// The functions that the concepts require. Counting the edges is O(ops + edges).
[[nodiscard]] inline std::size_t num_vertices(const OpGraph& graph) {
  return graph.num_ops();
}
[[nodiscard]] inline std::pair<OpIterator, OpIterator> vertices(const OpGraph& graph) {
  return {OpIterator(0), OpIterator(graph.num_ops())};
}
[[nodiscard]] std::size_t num_edges(const OpGraph& graph);
[[nodiscard]] inline std::pair<EdgeIterator, EdgeIterator> edges(const OpGraph& graph) {
  return {EdgeIterator::Begin(graph), EdgeIterator::End(graph)};
}
[[nodiscard]] inline OpId source(const OpEdge& edge, const OpGraph& /*graph*/) {
  return edge.from;
}
[[nodiscard]] inline OpId target(const OpEdge& edge, const OpGraph& /*graph*/) {
  return edge.to;
}
[[nodiscard]] inline std::pair<OutEdgeIterator, OutEdgeIterator> out_edges(OpId op,
                                                                           const OpGraph& graph) {
  return {OutEdgeIterator::Begin(graph, op), OutEdgeIterator::End(graph, op)};
}
[[nodiscard]] std::size_t out_degree(OpId op, const OpGraph& graph);
[[nodiscard]] inline std::pair<InEdgeIterator, InEdgeIterator> in_edges(OpId op,
                                                                        const OpGraph& graph) {
  return {InEdgeIterator::Begin(graph, op), InEdgeIterator::End(graph, op)};
}
[[nodiscard]] std::size_t in_degree(OpId op, const OpGraph& graph);
[[nodiscard]] inline std::size_t degree(OpId op, const OpGraph& graph) {
  return in_degree(op, graph) + out_degree(op, graph);
}

}  // namespace opyard::sim

template <>
struct boost::graph_traits<opyard::sim::OpGraph> {
  struct traversal_category : boost::bidirectional_graph_tag,
                              boost::adjacency_graph_tag,
                              boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag {};
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using vertex_descriptor = opyard::OpId;
  using edge_descriptor = opyard::sim::OpEdge;
  using vertex_iterator = opyard::sim::OpIterator;
  using edge_iterator = opyard::sim::EdgeIterator;
  using out_edge_iterator = opyard::sim::OutEdgeIterator;
  using in_edge_iterator = opyard::sim::InEdgeIterator;
  using adjacency_iterator = boost::adjacency_iterator_generator<opyard::sim::OpGraph,
                                                                 vertex_descriptor,
                                                                 out_edge_iterator>::type;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return opyard::OpId(std::int32_t{-1}); }
};

// Some algorithms ask for the traits of the const graph that they are given.
template <>
struct boost::graph_traits<const opyard::sim::OpGraph> : boost::graph_traits<opyard::sim::OpGraph> {
};

template <>
struct boost::property_map<opyard::sim::OpGraph, boost::vertex_index_t> {
  using type = opyard::sim::OpIndexMap;
  using const_type = type;
};

template <>
struct boost::property_map<opyard::sim::OpGraph, boost::vertex_name_t> {
  using type = opyard::sim::OpNameMap;
  using const_type = type;
};

template <>
struct boost::property_map<opyard::sim::OpGraph, boost::edge_weight_t> {
  using type = opyard::sim::EdgeBytesMap;
  using const_type = type;
};

namespace opyard::sim {

// The ops that wait for `op`, once per edge.
[[nodiscard]] inline std::pair<boost::graph_traits<OpGraph>::adjacency_iterator,
                               boost::graph_traits<OpGraph>::adjacency_iterator>
adjacent_vertices(OpId op, const OpGraph& graph) {
  using Iterator = boost::graph_traits<OpGraph>::adjacency_iterator;
  return {Iterator(OutEdgeIterator::Begin(graph, op), &graph),
          Iterator(OutEdgeIterator::End(graph, op), &graph)};
}

}  // namespace opyard::sim
