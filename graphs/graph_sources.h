// Sources of graphs: files, shipped graphs, and families of generated ones.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "graphs/common/graph_source.h"
#include "graphs/importers/common/importer.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// All families, sorted by name.
[[nodiscard]] std::vector<std::unique_ptr<const GraphSource>> GraphSources();

// A graph that ships with the program, under graphs/data/.
struct ShippedGraph {
  std::string name;
  std::filesystem::path path;
};

// Sorted by name; empty if there is no such folder.
[[nodiscard]] std::vector<ShippedGraph> ListShippedGraphs();

// The graph that `reference` names: a path, the name of a shipped graph, a family with options
// ("random:layered?n=1000&seed=7", "zoo:rnnlm?layers=4"), or a variant of any of these with other
// sizes ("variant:3:inception_v3", graphs/random/vary_sizes.h). A path ends like a graph file
// (kGraphSuffixes), holds a slash, or is "-", standard input. It is tried from the current folder,
// then from `folder` if that is not empty, and read by the importer that recognises it. Throws
// InputError, with the names that exist, if there is none.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> LoadGraph(
    const std::string& reference, const std::filesystem::path& folder = {});

// The same, with what the importer of a file had to assume: nothing for all else.
[[nodiscard]] ImportedGraph LoadImportedGraph(const std::string& reference,
                                              const std::filesystem::path& folder = {});

}  // namespace opyard::graphs
