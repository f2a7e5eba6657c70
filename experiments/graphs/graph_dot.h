// Graphs as text of the DOT language, to be rendered by Graphviz.
#pragma once

#include <string>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// The colours of the ops: a class of each op, and the names of the classes.
struct OpColours {
  std::vector<std::size_t> class_of;  // [num_ops], index into `names`
  std::vector<std::string> names;
};

// Classes are the phases that occur.
[[nodiscard]] OpColours ColoursByPhase(const sim::OpGraph& graph);

// One node per op, with its name and type, filled with the colour of its class (twelve colours, in
// turn), and a legend. One edge per tensor and op that reads it, with its bytes, and one dashed
// edge per control edge (sim/graph/dot.h). Equal graphs give equal texts. O(ops + edges).
[[nodiscard]] std::string GraphDot(const sim::OpGraph& graph, const OpColours& colours);

}  // namespace opyard::experiments
