#include "experiments/cli/graph/list.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/text/table.h"
#include "graphs/graph_sources.h"

namespace opyard::experiments {
namespace {

struct GraphListOptions {
  bool json = false;
};

// The graphs that can be named: shipped ones and generated families.
[[nodiscard]] int PrintGraphList(const GraphListOptions& options, const Console& console);

// A graph, or a family of graphs, that can be named.
struct ListedGraph {
  std::string name;
  std::string kind;     // "shipped" or "generated"
  std::string summary;  // "" for shipped ones
};

// The answer with --json.
[[nodiscard]] std::string GraphListJson(const std::vector<ListedGraph>& graphs);

}  // namespace

void AddGraphListArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(group,
                                       {.name = "list",
                                        .summary = "the graphs that can be named",
                                        .examples = "  opyard graph list"});
  const auto options = std::make_shared<GraphListOptions>();
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &PrintGraphList);
}

namespace {

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

std::string GraphListJson(const std::vector<ListedGraph>& graphs) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ListedGraph& graph : graphs) {
    json.push_back({{"name", graph.name}, {"kind", graph.kind}, {"summary", graph.summary}});
  }
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
