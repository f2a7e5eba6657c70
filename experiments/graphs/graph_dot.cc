#include "experiments/graphs/graph_dot.h"

#include <array>
#include <map>
#include <string_view>

#include "experiments/text/number_format.h"
#include "sim/graph/dot.h"

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
  sim::DotStyle style{.name = OneLine(graph.name())};
  style.class_of = colours.class_of;
  for (std::size_t i = 0; i < colours.names.size(); ++i) {
    style.classes.push_back(
        {.name = OneLine(colours.names[i]), .fill = std::string(kPalette[i % kPalette.size()])});
  }
  style.op_label = [&](OpId op) {
    return OneLine(graph.op(op).name + " (" + graph.op(op).type + ")");
  };
  style.edge_label = [&](TensorId tensor) { return BytesText(graph.tensor(tensor).bytes); };
  return sim::WriteDot(graph, style);
}

}  // namespace opyard::experiments
