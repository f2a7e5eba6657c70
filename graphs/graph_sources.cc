#include "graphs/graph_sources.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>

#include "graphs/importers/importers.h"
#include "graphs/random/enas.h"
#include "graphs/random/families.h"
#include "graphs/random/layered.h"
#include "graphs/random/regal.h"
#include "graphs/random/vary_sizes.h"
#include "graphs/reference.h"
#include "graphs/zoo/zoo.h"
#include "sim/base/data_root.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::graphs {
namespace {

ImportedGraph ReadPath(const std::string& path, const std::filesystem::path& folder) {
  const std::filesystem::path beside = folder / path;
  std::error_code ignored;
  const bool is_here = folder.empty() || std::filesystem::exists(path, ignored) ||
                       !std::filesystem::exists(beside, ignored);
  return ImportGraphFile(is_here ? std::filesystem::path(path) : beside);
}

std::shared_ptr<const sim::OpGraph> ReadShipped(const std::string& name) {
  const std::vector<ShippedGraph> shipped = ListShippedGraphs();
  std::vector<std::string> names;
  for (const ShippedGraph& graph : shipped) {
    if (graph.name == name) {
      return sim::ReadGraphFile(graph.path);
    }
    names.push_back(graph.name);
  }
  throw InputError("graph \"" + name + "\": no such shipped graph" + DidYouMean(name, names) +
                   " (shipped: " + (names.empty() ? "none" : JoinNames(names)) +
                   "; a path ends in .json, .pb, .graphml or the like, or holds a slash)");
}

std::shared_ptr<const sim::OpGraph> Generate(const std::string& text, GraphReference& reference) {
  const std::string name = reference.source + ":" + reference.name;
  std::vector<std::string> names;
  for (const std::unique_ptr<const GraphSource>& source : GraphSources()) {
    if (source->name() == name) {
      return source->Make(text, reference.options);
    }
    names.push_back(source->name());
  }
  throw InputError("graph \"" + text + "\": no generator \"" + name + "\"" +
                   DidYouMean(name, names) + " (generators: " + JoinNames(names) + ")");
}

}  // namespace

std::vector<std::unique_ptr<const GraphSource>> GraphSources() {
  std::vector<std::unique_ptr<const GraphSource>> sources;
  sources.push_back(std::make_unique<EnasGraphSource>());
  sources.push_back(std::make_unique<LayeredGraphSource>());
  sources.push_back(std::make_unique<RegalGraphSource>());
  std::ranges::move(RandomFamilies(), std::back_inserter(sources));
  std::ranges::move(ZooSources(), std::back_inserter(sources));
  std::ranges::sort(sources, {}, &GraphSource::name);
  return sources;
}

std::vector<ShippedGraph> ListShippedGraphs() {
  std::vector<ShippedGraph> graphs;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(DataRoot() / "graphs" / "data", error)) {
    const std::string file = entry.path().filename().string();
    for (const std::string_view suffix : {".graph.json", ".graph.json.gz"}) {
      if (file.size() > suffix.size() && file.ends_with(suffix)) {
        graphs.push_back({file.substr(0, file.size() - suffix.size()), entry.path()});
      }
    }
  }
  std::ranges::sort(graphs, {}, &ShippedGraph::name);
  return graphs;
}

ImportedGraph LoadImportedGraph(const std::string& reference, const std::filesystem::path& folder) {
  GraphReference parsed = ParseGraphReference(reference);
  switch (parsed.kind) {
    case GraphReference::Kind::kPath:
      return ReadPath(parsed.name, folder);
    case GraphReference::Kind::kShipped:
      return {.graph = ReadShipped(parsed.name)};
    case GraphReference::Kind::kVariant: {
      ImportedGraph origin = LoadImportedGraph(parsed.name, folder);
      origin.graph = VarySizes(*origin.graph, reference, parsed.seed);
      return origin;
    }
    case GraphReference::Kind::kGenerated:
      break;
  }
  return {.graph = Generate(reference, parsed)};
}

std::shared_ptr<const sim::OpGraph> LoadGraph(const std::string& reference,
                                              const std::filesystem::path& folder) {
  return LoadImportedGraph(reference, folder).graph;
}

}  // namespace opyard::graphs
