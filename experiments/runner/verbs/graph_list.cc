#include "experiments/runner/verbs/graph.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/runner/figures.h"
#include "experiments/runner/table.h"
#include "graphs/graph_source.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

struct GraphFigures {
  double flops = 0.0;
  Bytes bytes;
  Bytes param_bytes;
  std::int64_t depth = 0;
};

// Ops on the longest path over data and control edges. O(ops + edges).
std::int64_t DepthOf(const sim::OpGraph& graph) {
  std::vector<std::int64_t> depth(graph.num_ops(), 1);
  std::int64_t deepest = 0;
  for (const OpId op : graph.topological_order()) {
    std::int64_t& own = depth[op.index()];
    for (const TensorId tensor : graph.inputs(op)) {
      own = std::max(own, depth[graph.tensor(tensor).producer.index()] + 1);
    }
    for (const OpId before : graph.control_inputs(op)) {
      own = std::max(own, depth[before.index()] + 1);
    }
    deepest = std::max(deepest, own);
  }
  return deepest;
}

GraphFigures FiguresOf(const sim::OpGraph& graph) {
  GraphFigures figures{.depth = DepthOf(graph)};
  for (const sim::Op& op : graph.ops()) {
    figures.flops += op.flops.count;
    figures.param_bytes += op.param_bytes;
  }
  for (const sim::Tensor& tensor : graph.tensors()) {
    figures.bytes += tensor.bytes;
  }
  return figures;
}

// Whole numbers of FLOPs print as such.
Json Whole(double value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  return value <= kLargestExact && value == std::floor(value)
             ? Json(static_cast<std::int64_t>(value))
             : Json(value);
}

}  // namespace

int PrintGraphInfo(const GraphInfoOptions& options, const Console& console) {
  const auto graph = graphs::LoadGraph(options.graph);
  const GraphFigures figures = FiguresOf(*graph);
  const std::size_t edges = graph->num_data_edges() + graph->num_control_edges();
  if (options.json) {
    const Json json = {{"name", graph->name()},
                       {"ops", graph->num_ops()},
                       {"edges", edges},
                       {"control_edges", graph->num_control_edges()},
                       {"tensors", graph->num_tensors()},
                       {"flops", Whole(figures.flops)},
                       {"bytes", figures.bytes.count},
                       {"param_bytes", figures.param_bytes.count},
                       {"depth", figures.depth},
                       {"acyclic", true}};  // a graph with a cycle is refused by its reader
    console.out << json.dump() << '\n';
    return kSuccess;
  }
  console.out << OneLine(graph->name()) << ": " << graph->num_ops() << " ops, "
              << graph->num_tensors() << " tensors, " << edges << " edges ("
              << graph->num_control_edges() << " control), depth " << figures.depth << '\n'
              << "FLOPs " << Fixed(figures.flops / 1e9, 3) << " G, outputs "
              << BytesText(figures.bytes) << ", parameters " << BytesText(figures.param_bytes)
              << '\n';
  if (!graph->origin().empty()) {
    console.out << "origin: " << OneLine(graph->origin()) << '\n';
  }
  return kSuccess;
}

int PrintGraphList(const GraphListOptions& options, const Console& console) {
  Json json = Json::array();
  TextTable table({{.title = "graph"}, {.title = "what"}});
  for (const graphs::ShippedGraph& graph : graphs::ListShippedGraphs()) {
    json.push_back({{"name", graph.name}, {"kind", "shipped"}, {"summary", ""}});
    table.AddRow({graph.name, "shipped"});
  }
  for (const auto& source : graphs::GraphSources()) {
    json.push_back(
        {{"name", source->name()}, {"kind", "generated"}, {"summary", source->summary()}});
    table.AddRow({source->name(), source->summary()});
  }
  console.out << (options.json ? json.dump() + "\n" : table.Text());
  return kSuccess;
}

}  // namespace opyard::experiments
