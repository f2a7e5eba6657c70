#include "sim/graph/dot.h"

#include <ostream>
#include <sstream>
#include <string_view>

#include <boost/graph/graphviz.hpp>

#include "sim/graph/boost_graph.h"

namespace opyard::sim {
namespace {

// `text` as a quoted string of DOT. Backslashes are doubled: DOT reads escapes.
std::string DotText(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
    }
    quoted += letter;
  }
  return quoted + "\"";
}

// The label of every node of the picture.
std::string NodeAttributes(const std::string& label, const std::string& fill) {
  return " [label=" + DotText(label) + ", fillcolor=" + DotText(fill) + "]";
}

// The property writers that write_graphviz calls.
struct WriteGraph {
  const DotStyle& style;

  void operator()(std::ostream& out) const {
    out << "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
        << "  edge [fontname=\"sans-serif\", fontsize=9];\n"
        << "  subgraph cluster_legend {\n    label=\"legend\";\n";
    for (std::size_t i = 0; i < style.classes.size(); ++i) {
      const auto& [name, fill] = style.classes[i];
      out << "    legend" << i << NodeAttributes(name, fill) << ";\n";
    }
    out << "  }\n";
  }
};

struct WriteOp {
  const DotStyle& style;

  void operator()(std::ostream& out, OpId op) const {
    out << NodeAttributes(style.op_label(op), style.classes[style.class_of[op.index()]].fill);
  }
};

struct WriteEdge {
  const DotStyle& style;

  void operator()(std::ostream& out, const OpEdge& edge) const {
    if (edge.tensor) {
      out << "[label=" << DotText(style.edge_label(*edge.tensor)) << "]";
    } else {
      out << "[style=dashed]";
    }
  }
};

// "op7": a name that is never a word of DOT.
struct NodeNameMap {
  using key_type = OpId;
  using value_type = std::string;
  using reference = std::string;
  using category = boost::readable_property_map_tag;
  friend std::string get(const NodeNameMap& /*map*/, OpId op) {
    return "op" + std::to_string(op.value);
  }
};

}  // namespace

std::string WriteDot(const OpGraph& graph, const DotStyle& style) {
  std::ostringstream out;
  boost::write_graphviz(out,
                        graph,
                        WriteOp{.style = style},
                        WriteEdge{.style = style},
                        WriteGraph{.style = style},
                        NodeNameMap());
  constexpr std::string_view kBoostStart = "digraph G";  // whatever the graph's name
  return "digraph " + DotText(style.name) + std::move(out).str().substr(kBoostStart.size());
}

}  // namespace opyard::sim
