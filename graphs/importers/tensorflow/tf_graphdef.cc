#include "graphs/importers/tensorflow/tf_graphdef.h"

#include <algorithm>

#include <protozero/exception.hpp>

#include "graphs/importers/tensorflow/tf_document.h"
#include "graphs/importers/tensorflow/tf_expansion.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kMostDim = std::int64_t{1} << 31;
constexpr std::int64_t kUsualUnroll = 256;
constexpr std::int64_t kMostUnroll = 65'536;

// "8", or "?=8" as a file of other formats would have it.
std::optional<std::int64_t> ReadDim(Options& options) {
  const auto given = options.values().find("dim");
  if (given == options.values().end()) {
    static_cast<void>(options.Int("dim", 1, 1, kMostDim));  // so that it exists
    return std::nullopt;
  }
  const auto* text = std::get_if<std::string>(&given->second);
  if (text != nullptr && text->starts_with("?=")) {
    options.Set("dim", ParseOptionValue(text->substr(2)));
  }
  return options.Int("dim", 1, 1, kMostDim);
}

// Names of nodes, or of tensors "node:0", between commas.
std::vector<std::string_view> SplitNames(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    names.push_back(name.substr(0, name.rfind(':')));
  }
  return names;
}

TfExpansionOptions ReadOptions(Options& options) {
  return {.dim = ReadDim(options), .unroll = options.Int("unroll", kUsualUnroll, 1, kMostUnroll)};
}

ImportedGraph Lower(const ImportFile& file,
                    const TfGraphDefinition& definition,
                    const TfExpansionOptions& options) {
  ImportedGraph imported;
  imported.summary.nodes_read = definition.nodes.size();
  const TfGraph graph = ExpandTfGraph(definition, file.place, options, imported.summary);
  sim::OpGraphBuilder builder(file.stem, "TensorFlow GraphDef");
  Diagnostics diagnostics;
  LowerTfGraph(graph, file.place, builder, imported.summary, diagnostics);
  imported.graph = builder.Build(file.place + ": imported graph", std::move(diagnostics));
  return imported;
}

}  // namespace

std::string TfGraphDefImporter::summary() const {
  return "TensorFlow's GraphDef, binary or text, alone or in a MetaGraphDef or SavedModel (options "
         "dim, outputs, unroll)";
}

bool TfGraphDefImporter::Recognises(const ImportFile& file, std::string_view path) const {
  return FindTfDocument(file.bytes, path) == TfDocument::kGraph;
}

ImportedGraph TfGraphDefImporter::Import(const ImportFile& file, Options& options) const {
  TfExpansionOptions expansion = ReadOptions(options);
  const TfGraphMessage message = ReadTfGraphMessage(file.bytes, file.place);
  const std::string outputs = options.Text("outputs", "");
  expansion.must_find_fetches = !outputs.empty();
  expansion.fetches = outputs.empty() ? message.fetches : SplitNames(outputs);
  const TfGraphDefinition definition = ReadTfGraphDefinition(message.graph, file.place);
  try {
    return Lower(file, definition, expansion);
  } catch (const protozero::exception& damage) {
    // In an attribute that nobody read before.
    throw InputError(file.place + ": found damaged data (" + damage.what() +
                     ") in an attribute, expected a GraphDef in Protocol Buffers' wire format");
  }
}

}  // namespace opyard::graphs
