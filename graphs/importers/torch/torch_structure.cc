#include "graphs/importers/torch/torch_structure.h"

namespace opyard::graphs {
namespace {

bool AreEqual(const sim::OutputSpec& a, const sim::OutputSpec& b) {
  return a.shape == b.shape && a.dtype == b.dtype && a.bytes == b.bytes;
}

}  // namespace

std::string_view BareName(std::string_view op) {
  constexpr std::string_view kNamespace = "aten.";
  if (!op.starts_with(kNamespace)) {
    return op;
  }
  op.remove_prefix(kNamespace.size());
  return op.substr(0, op.find('.'));
}

bool IsGetitem(const TorchNode& node) {
  return node.kind == TorchNode::Kind::kCall && node.op.find("getitem") != std::string::npos &&
         node.inputs.size() == 1;
}

Selections FindSelections(const TorchGraph& graph, ImportSummary& summary) {
  Selections found;
  found.port.resize(graph.nodes.size());
  found.getitems.resize(graph.nodes.size());
  std::vector<std::size_t> next(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const TorchNode& node = graph.nodes[i];
    if (!IsGetitem(node)) {
      continue;
    }
    const std::size_t producer = node.inputs[0];
    found.getitems[producer].push_back(i);
    const std::vector<sim::OutputSpec>& outputs = graph.nodes[producer].outputs;
    if (node.outputs.empty()) {
      summary.folded.Add("selection of a result that is not made", node.name);
      continue;
    }
    std::size_t port = next[producer];
    while (port < outputs.size() && !AreEqual(outputs[port], node.outputs[0])) {
      ++port;
    }
    if (port >= outputs.size()) {
      summary.unknown.Add("getitem whose output is none of its producer's, left out", node.name);
      continue;
    }
    found.port[i] = port;
    next[producer] = port + 1;
    summary.folded.Add("getitem", node.name);
  }
  return found;
}

std::size_t FirstBackward(const TorchGraph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string_view name = BareName(graph.nodes[i].op);
    const bool is_seed = name == "ones_like" && graph.nodes[i].outputs.size() == 1 &&
                         graph.nodes[i].outputs[0].shape.empty();
    if (graph.nodes[i].kind == TorchNode::Kind::kCall &&
        (is_seed || name.find("backward") != std::string_view::npos)) {
      return i;
    }
  }
  return graph.nodes.size();
}

}  // namespace opyard::graphs
