#include "experiments/runner/verbs/graph_convert.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "experiments/runner/graphs/graph_dot.h"
#include "experiments/runner/graphs/import_text.h"
#include "experiments/text/figures.h"
#include "graphs/exporters/graphml.h"
#include "graphs/graph_source.h"
#include "graphs/importers/importer.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/graph_json.h"
#include "sim/io/text_file.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Options ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--option: found " + Quoted(word) + ", expected NAME=VALUE");
    }
    options.Set(word.substr(0, equals), ParseOptionValue(word.substr(equals + 1)));
  }
  return options;
}

// A reference that is no file names a shipped or a generated graph.
graphs::ImportedGraph Read(const GraphConvertOptions& options) {
  std::error_code ignored;
  if (options.from.empty() && options.options.empty() &&
      !std::filesystem::exists(options.graph, ignored)) {
    graphs::ImportedGraph loaded{.graph = graphs::LoadGraph(options.graph)};
    loaded.summary.format = "reference";
    loaded.summary.nodes_read = loaded.graph->num_ops();
    return loaded;
  }
  return graphs::ImportGraphFile(options.graph, options.from, ParseOptions(options.options));
}

// How a graph is written in the form that `suffix` stands for; all but the pictures read back.
struct Form {
  std::string_view suffix;
  void (*write)(const sim::OpGraph& graph, const std::filesystem::path& path);
};

constexpr auto kForms = std::to_array<Form>({
    {".json", sim::WriteGraphFile},
    {".graphml", graphs::WriteGraphmlFile},
    {".dot",
     [](const sim::OpGraph& graph, const std::filesystem::path& path) {
       sim::WriteTextFile(path, GraphDot(graph, ColoursByPhase(graph)));
     }},
});

void Write(const sim::OpGraph& graph, const std::string& out) {
  for (const Form& form : kForms) {
    if (out.ends_with(form.suffix) || out.ends_with(std::string(form.suffix) + ".gz")) {
      form.write(graph, out);
      return;
    }
  }
  throw InputError("--out: found " + Quoted(out) +
                   ", expected a name in .json, .graphml or .dot, or one of these and .gz");
}

Json FindingsJson(const graphs::FindingList& findings) {
  Json json = Json::array();
  for (const graphs::Finding& finding : findings.all()) {
    json.push_back(
        {{"what", finding.what}, {"count", finding.count}, {"examples", finding.examples}});
  }
  return json;
}

}  // namespace

int ConvertGraph(const GraphConvertOptions& options, const Console& console) {
  const graphs::ImportedGraph imported = Read(options);
  const sim::OpGraph& graph = *imported.graph;
  const graphs::ImportSummary& summary = imported.summary;
  Write(graph, options.out);
  if (options.json) {
    const Json json = {{"name", graph.name()},
                       {"format", summary.format},
                       {"nodes_read", summary.nodes_read},
                       {"ops", graph.num_ops()},
                       {"edges", graph.num_data_edges() + graph.num_control_edges()},
                       {"control_edges", graph.num_control_edges()},
                       {"tensors", graph.num_tensors()},
                       {"folded", FindingsJson(summary.folded)},
                       {"unknown", FindingsJson(summary.unknown)}};
    console.out << json.dump() << '\n';
    return kSuccess;
  }
  console.out << OneLine(graph.name()) << " (" << summary.format << "): read " << summary.nodes_read
              << " nodes, wrote " << graph.num_ops() << " ops, " << graph.num_data_edges()
              << " data and " << graph.num_control_edges() << " control edges to "
              << OneLine(options.out) << '\n'
              << ImportText(summary);
  return kSuccess;
}

std::string ImporterHelp() {
  std::string text;
  for (const auto& importer : graphs::Importers()) {
    text += (text.empty() ? "" : "; ") + importer->name() + ": " + importer->summary();
  }
  return text;
}

}  // namespace opyard::experiments
