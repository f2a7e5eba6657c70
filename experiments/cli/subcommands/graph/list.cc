#include "experiments/cli/subcommands/graph/list.h"

#include <vector>

#include "experiments/cli/json/graph_list_answer.h"
#include "experiments/text/table.h"
#include "graphs/graph_sources.h"

namespace opyard::experiments {

int PrintGraphList(const GraphListOptions& options, const Console& console) {
  std::vector<ListedGraph> listed;
  for (const graphs::ShippedGraph& graph : graphs::ListShippedGraphs()) {
    listed.push_back({.name = graph.name, .kind = "shipped", .summary = ""});
  }
  for (const auto& source : graphs::GraphSources()) {
    listed.push_back({.name = source->name(), .kind = "generated", .summary = source->summary()});
  }
  if (options.json) {
    console.out << GraphListJson(listed) << '\n';
    return kSuccess;
  }
  TextTable table({{.title = "graph"}, {.title = "what"}});
  for (const ListedGraph& graph : listed) {
    table.AddRow({graph.name, graph.summary.empty() ? graph.kind : graph.summary});
  }
  console.out << table.Text();
  return kSuccess;
}

}  // namespace opyard::experiments
