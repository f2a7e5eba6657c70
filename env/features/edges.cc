#include "env/features/edges.h"

#include <algorithm>

namespace opyard::env {
namespace {

// Collects the edges from `op` to its consumers, one entry for each tensor and control edge.
void CollectEdges(const sim::OpGraph& graph, OpId op, std::vector<Edge>& edges) {
  edges.clear();
  for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
    const TensorId tensor = graph.output(op, i);
    for (const OpId consumer : graph.consumers(tensor)) {
      edges.push_back(
          {.from = op, .to = consumer, .num_tensors = 1, .bytes = graph.tensor(tensor).bytes});
    }
  }
  for (const OpId consumer : graph.control_consumers(op)) {
    edges.push_back({.from = op, .to = consumer, .is_control = true});
  }
}

}  // namespace

std::vector<Edge> DistinctEdges(const sim::OpGraph& graph) {
  std::vector<Edge> edges;
  edges.reserve(graph.num_data_edges() + graph.num_control_edges());
  std::vector<Edge> own;
  for (const OpId op : graph.topological_order()) {
    CollectEdges(graph, op, own);
    std::ranges::sort(own, {}, [&](const Edge& edge) { return graph.topological_index(edge.to); });
    const std::size_t first = edges.size();
    for (const Edge& edge : own) {
      if (edges.size() == first || edges.back().to != edge.to) {
        edges.push_back(edge);
        continue;
      }
      edges.back().num_tensors += edge.num_tensors;
      edges.back().bytes += edge.bytes;
      edges.back().is_control = edges.back().is_control || edge.is_control;
    }
  }
  return edges;
}

}  // namespace opyard::env
