#include "experiments/runner/graphs/graph_dot.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "experiments/text/figures.h"

namespace opyard::experiments {
namespace {

// ColorBrewer's "Set3": light enough for black text.
constexpr std::array<std::string_view, 12> kPalette = {"#8dd3c7",
                                                       "#ffffb3",
                                                       "#bebada",
                                                       "#fb8072",
                                                       "#80b1d3",
                                                       "#fdb462",
                                                       "#b3de69",
                                                       "#fccde5",
                                                       "#d9d9d9",
                                                       "#bc80bd",
                                                       "#ccebc5",
                                                       "#ffed6f"};

// `text` as a quoted string of DOT, on one line. Backslashes are doubled: DOT reads escapes.
std::string DotText(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : OneLine(text)) {
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
    }
    quoted += letter;
  }
  return quoted + "\"";
}

std::string FillOf(std::size_t colour) {
  return "fillcolor=\"" + std::string(kPalette[colour % kPalette.size()]) + "\"";
}

void AppendLegend(const OpColours& colours, std::string& dot) {
  dot += "  subgraph cluster_legend {\n    label=\"legend\";\n";
  for (std::size_t i = 0; i < colours.names.size(); ++i) {
    dot += "    legend" + std::to_string(i) + " [label=" + DotText(colours.names[i]) + ", " +
           FillOf(i) + "];\n";
  }
  dot += "  }\n";
}

void AppendEdges(const sim::OpGraph& graph, OpId op, std::string& dot) {
  const std::string target = " -> op" + std::to_string(op.value);
  for (const TensorId input : graph.inputs(op)) {
    const sim::Tensor& tensor = graph.tensor(input);
    dot += "  op" + std::to_string(tensor.producer.value) + target +
           " [label=" + DotText(BytesText(tensor.bytes)) + "];\n";
  }
  for (const OpId before : graph.control_inputs(op)) {
    dot += "  op" + std::to_string(before.value) + target + " [style=dashed];\n";
  }
}

}  // namespace

OpColours ColoursByPhase(const sim::OpGraph& graph) {
  OpColours colours;
  std::map<sim::Phase, std::size_t> classes;
  for (const sim::Op& op : graph.ops()) {
    const auto [entry, is_new] = classes.emplace(op.phase, colours.names.size());
    if (is_new) {
      colours.names.emplace_back(sim::NameOf(op.phase));
    }
    colours.class_of.push_back(entry->second);
  }
  return colours;
}

std::string GraphDot(const sim::OpGraph& graph, const OpColours& colours) {
  std::string dot = "digraph " + DotText(graph.name()) + " {\n" +
                    "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n" +
                    "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  AppendLegend(colours, dot);
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const sim::Op& op = graph.op(OpId(i));
    dot += "  op" + std::to_string(i) + " [label=" + DotText(op.name + " (" + op.type + ")") +
           ", " + FillOf(colours.class_of[i]) + "];\n";
  }
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    AppendEdges(graph, OpId(i), dot);
  }
  return dot + "}\n";
}

}  // namespace opyard::experiments
