#include "experiments/runner/verbs/graph/list.h"

#include <nlohmann/json.hpp>

#include "experiments/text/table.h"
#include "graphs/graph_source.h"

namespace opyard::experiments {

int PrintGraphList(const GraphListOptions& options, const Console& console) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
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
