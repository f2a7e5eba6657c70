// Which ops are joined, by data or control: each pair once.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::env {

// The tensors are those that `to` reads of `from`, each once.
struct Edge {
  OpId from;
  OpId to;
  std::int64_t num_tensors = 0;
  Bytes bytes;  // of all of them
  bool is_control = false;
};

// Sorted by the topological index of the producer, then of the consumer. O((N + E) log E).
[[nodiscard]] std::vector<Edge> DistinctEdges(const sim::OpGraph& graph);

}  // namespace opyard::env
