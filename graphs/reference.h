// The text by which users name a graph: a path, a shipped name, or a generator with its options.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/options.h"

namespace opyard::graphs {

struct GraphReference {
  enum class Kind {
    kPath,       // ends like a graph file (kGraphSuffixes), holds a slash, or is "-"
    kShipped,    // the name of a file of graphs/data
    kGenerated,  // SOURCE:NAME or SOURCE:NAME?key=value&…
    kVariant,    // variant:SEED:REFERENCE
  };
  Kind kind = Kind::kShipped;
  std::string source;  // of a generated graph: "random"
  std::string name;    // the path, the shipped name, the generator's name, or of what a variant is
  Options options;     // of a generated graph
  std::uint64_t seed = 0;  // of a variant
};

// Reads "inception_v3", "my/step.graph.json" or "random:layered?n=1000&seed=7". What starts like a
// SOURCE: (letters and digits up to a colon) is a generated graph, whatever follows; the source
// "variant" is followed by a whole number (0 … 2^53) and what varies: "variant:3:inception_v3",
// "variant:3:zoo:rnnlm?layers=4".
// Throws InputError for an empty text, an option without a name, "=" or value, an option given
// twice, or a variant without a seed, of nothing or of a variant.
[[nodiscard]] GraphReference ParseGraphReference(const std::string& text);

}  // namespace opyard::graphs
