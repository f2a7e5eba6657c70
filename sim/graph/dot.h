// Graphs as text of the DOT language, which Graphviz renders.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::sim {

// The content of a picture of a graph. Texts are quoted as DOT asks, but should be of one line.
struct DotStyle {
  struct Class {
    std::string name;
    std::string fill;  // a colour of Graphviz
  };
  std::string name;                   // of the picture
  std::vector<Class> classes;         // the legend
  std::vector<std::size_t> class_of;  // [num_ops], index into `classes`
  std::function<std::string(OpId)> op_label;
  std::function<std::string(TensorId)> edge_label;
};

// The text of `graph`, written by Boost.Graph: the legend, one node per op, one edge per tensor and
// op that reads it, and one dashed edge per control edge, by producer. Equal arguments give equal
// texts. O(ops + edges).
[[nodiscard]] std::string WriteDot(const OpGraph& graph, const DotStyle& style);

}  // namespace opyard::sim
