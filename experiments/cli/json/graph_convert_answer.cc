#include "experiments/cli/json/graph_convert_answer.h"

#include <nlohmann/json.hpp>

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json FindingsJson(const graphs::FindingList& findings) {
  Json json = Json::array();
  for (const graphs::Finding& finding : findings.all()) {
    json.push_back(
        {{"what", finding.what}, {"count", finding.count}, {"examples", finding.examples}});
  }
  return json;
}

}  // namespace

std::string GraphConvertJson(const graphs::ImportedGraph& imported) {
  const sim::OpGraph& graph = *imported.graph;
  const graphs::ImportSummary& summary = imported.summary;
  const Json json = {{"name", graph.name()},
                     {"format", summary.format},
                     {"nodes_read", summary.nodes_read},
                     {"ops", graph.num_ops()},
                     {"edges", graph.num_data_edges() + graph.num_control_edges()},
                     {"control_edges", graph.num_control_edges()},
                     {"tensors", graph.num_tensors()},
                     {"folded", FindingsJson(summary.folded)},
                     {"unknown", FindingsJson(summary.unknown)}};
  return json.dump();
}

}  // namespace opyard::experiments
