// One family of generated graphs.
#pragma once

#include <memory>
#include <string>

#include "sim/base/options.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// A family of generated graphs. Stateless and thread-safe.
//
// To add one: write a pair in graphs/random/, and one line in GraphSources() (graph_sources.cc);
// for a model of the zoo, a file in graphs/zoo/ and one line in its list (zoo.cc).
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

}  // namespace opyard::graphs
