#include "experiments/cli/graph/convert.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/out_file.h"
#include "experiments/graphs/graph_dot.h"
#include "experiments/graphs/import_text.h"
#include "experiments/text/number_format.h"
#include "graphs/exporters/graphml.h"
#include "graphs/graph_sources.h"
#include "graphs/importers/common/importer.h"
#include "graphs/importers/importers.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::experiments {
namespace {

struct GraphConvertOptions {
  std::string graph;                 // a file of any format that is imported, or a graph reference
  std::string out;                   // its suffix says what is written
  std::string from;                  // importer; "" finds it
  std::vector<std::string> options;  // of the importer: NAME=VALUE
  std::string dim;                   // the option "dim"; empty for none
  bool json = false;
};

// Reads a graph, writes it as `out` says, prints what was read, folded away and not known.
[[nodiscard]] int ConvertGraph(const GraphConvertOptions& options, const Console& console);

// The formats that can be read, one line each.
[[nodiscard]] std::string ImporterHelp();

// The answer with --json: the graph that was read, and the work of its importer.
[[nodiscard]] std::string GraphConvertJson(const graphs::ImportedGraph& imported);

}  // namespace

void AddGraphConvertArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "convert",
       .summary = "read a graph of any tool, write ours, GraphML or DOT",
       .examples = "  opyard graph convert step.pb --out step.graph.json\n"
                   "  opyard graph convert gnmt2 --out gnmt2.graphml\n"
                   "  opyard graph convert model.onnx --out model.graph.json   (Python package)"});
  const auto options = std::make_shared<GraphConvertOptions>();
  subcommand.add_option("graph", options->graph, "file to read, or a graph that can be named")
      ->required()
      ->type_name("IN");
  subcommand.add_option("--out", options->out, "file to write: .json, .graphml or .dot")
      ->required()
      ->type_name("OUT");
  subcommand.add_option("--from", options->from, "format, if it is not found: " + ImporterHelp())
      ->type_name("FORMAT");
  subcommand.add_option("--dim", options->dim, "size of the extents that the file leaves open")
      ->type_name("N");
  subcommand
      .add_option("--option", options->options, "one option of the format (docs/importing.md)")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ConvertGraph);
}

namespace {

Options ParseOptions(const GraphConvertOptions& given) {
  Options options;
  if (!given.dim.empty()) {
    options.Set("dim", ParseOptionValue(given.dim));
  }
  for (const std::string& word : given.options) {
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
  if (options.from.empty() && options.options.empty() && options.dim.empty() &&
      options.graph != "-" && !std::filesystem::exists(options.graph, ignored)) {
    graphs::ImportedGraph loaded{.graph = graphs::LoadGraph(options.graph)};
    loaded.summary.format = "reference";
    loaded.summary.nodes_read = loaded.graph->num_ops();
    return loaded;
  }
  return graphs::ImportGraphFile(options.graph, options.from, ParseOptions(options));
}

// The text of a graph in the form that `suffix` stands for; all but the pictures read back.
struct Form {
  std::string_view suffix;
  std::string (*text)(const sim::OpGraph& graph);
};

constexpr auto kForms = std::to_array<Form>({
    {".json", [](const sim::OpGraph& graph) { return sim::WriteGraphText(graph); }},
    {".graphml", graphs::GraphmlText},
    {".dot", [](const sim::OpGraph& graph) { return GraphDot(graph, ColoursByPhase(graph)); }},
});

// A pipe or a device has no suffix: it is given the form that all subcommands read.
bool IsNoFile(const std::string& out) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(out, ignored);
  return std::filesystem::exists(status) && std::filesystem::is_other(status);
}

const Form& FormOf(const OutFile& out) {
  const std::string& path = out.path();
  for (const Form& form : kForms) {
    if (path.ends_with(form.suffix) || path.ends_with(std::string(form.suffix) + ".gz")) {
      return form;
    }
  }
  if (out.is_standard_output() || IsNoFile(path)) {
    return kForms[0];
  }
  throw InputError(
      "--out: found " + Quoted(path) +
      ", expected a name in .json, .graphml or .dot, or one of these and .gz; or - for "
      "standard output");
}

int ConvertGraph(const GraphConvertOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const Form& form = FormOf(out);
  const graphs::ImportedGraph imported = Read(options);
  const sim::OpGraph& graph = *imported.graph;
  const graphs::ImportSummary& summary = imported.summary;
  out.Write(form.text(graph));
  if (options.json) {
    console.out << GraphConvertJson(imported) << '\n';
    return kSuccess;
  }
  out.text() << OneLine(graph.name()) << " (" << summary.format << "): read " << summary.nodes_read
             << " nodes, wrote " << graph.num_ops() << " ops, " << graph.num_data_edges()
             << " data and " << graph.num_control_edges() << " control edges to "
             << OneLine(out.name()) << '\n'
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

using Json = nlohmann::ordered_json;

Json FindingsJson(const graphs::FindingList& findings) {
  Json json = Json::array();
  for (const graphs::Finding& finding : findings.all()) {
    json.push_back(
        {{"what", finding.what}, {"count", finding.count}, {"examples", finding.examples}});
  }
  return json;
}

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

}  // namespace
}  // namespace opyard::experiments
