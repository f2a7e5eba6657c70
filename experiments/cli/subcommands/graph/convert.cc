#include "experiments/cli/subcommands/graph/convert.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "experiments/cli/json/graph_convert_answer.h"
#include "experiments/console/out_file.h"
#include "experiments/graphs/graph_dot.h"
#include "experiments/graphs/import_text.h"
#include "experiments/text/number_format.h"
#include "graphs/exporters/graphml.h"
#include "graphs/graph_sources.h"
#include "graphs/importers/importers.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::experiments {
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
    {".json", sim::WriteGraphText},
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

}  // namespace

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

}  // namespace opyard::experiments
