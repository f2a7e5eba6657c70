// The text by which users name a graph: a path, a shipped name, or a generator with its options.
#pragma once

#include <string>

#include "sim/base/options.h"

namespace opyard::graphs {

struct GraphReference {
  enum class Kind {
    kPath,       // ends in .json or .json.gz, or holds a slash
    kShipped,    // the name of a file of graphs/data
    kGenerated,  // SOURCE:NAME or SOURCE:NAME?key=value&…
  };
  Kind kind = Kind::kShipped;
  std::string source;  // of a generated graph: "random"
  std::string name;    // the path, the shipped name, or the generator's name
  Options options;     // of a generated graph
};

// Reads "inception_v3", "my/step.graph.json" or "random:layered?n=1000&seed=7". What starts like a
// SOURCE: (letters and digits up to a colon) is a generated graph, whatever follows.
// Throws InputError for an empty text, an option without a name, "=" or value, or an option given
// twice.
[[nodiscard]] GraphReference ParseGraphReference(const std::string& text);

}  // namespace opyard::graphs
