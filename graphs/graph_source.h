// Where graphs come from: files, shipped graphs, and families of generated ones.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "graphs/importers/importer.h"
#include "sim/base/options.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// A family of generated graphs. Stateless and thread-safe.
//
// To add one: write a pair in graphs/random/, and one line in GraphSources() (graph_source.cc); for
// a model of the zoo, a file in graphs/zoo/ and one line in its list (zoo.cc).
class GraphSource {
 public:
  virtual ~GraphSource() = default;
  // As it stands in a reference, with its source: "random:layered".
  [[nodiscard]] virtual std::string name() const = 0;
  // One line for `graph list`.
  [[nodiscard]] virtual std::string summary() const = 0;
  // The graph that `options` describe, named `graph_name`; equal options give an equal graph.
  // Throws InputError for options that are unknown or out of range.
  [[nodiscard]] virtual std::shared_ptr<const sim::OpGraph> Make(const std::string& graph_name,
                                                                 Options& options) const = 0;
};

// All families, sorted by name.
[[nodiscard]] std::vector<std::unique_ptr<const GraphSource>> GraphSources();

// A graph that ships with the program, under graphs/data/.
struct ShippedGraph {
  std::string name;
  std::filesystem::path path;
};

// Sorted by name; empty if there is no such folder.
[[nodiscard]] std::vector<ShippedGraph> ListShippedGraphs();

// The graph that `reference` names: a path (ends like a graph file, kGraphSuffixes, holds a slash,
// or is "-", standard input; tried from the current folder, then from `folder` if that is not
// empty; read by the importer that recognises it), the name of a shipped graph, or a family with
// options, "random:layered?n=1000&seed=7" or "zoo:rnnlm?layers=4"; or a variant of any of these
// with other sizes, "variant:3:inception_v3" (graphs/random/vary_sizes.h). Throws InputError, with
// the names that exist, if there is none.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> LoadGraph(
    const std::string& reference, const std::filesystem::path& folder = {});

// The same, with what the importer of a file had to assume: nothing for all else.
[[nodiscard]] ImportedGraph LoadImportedGraph(const std::string& reference,
                                              const std::filesystem::path& folder = {});

}  // namespace opyard::graphs
