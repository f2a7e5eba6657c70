// Opens the calls of library functions and the loops and branches of a GraphDef.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/importers/common/import_summary.h"
#include "graphs/importers/tensorflow/tf_definitions.h"
#include "graphs/importers/tensorflow/tf_graph.h"

namespace opyard::graphs {

struct TfExpansionOptions {
  std::optional<std::int64_t> dim;  // stands for extents that only a run knows
  std::int64_t unroll = 0;          // loops of at most so many iterations are unrolled
  // Nodes of the graph that alone are wanted, with what they need; all where none is given.
  std::vector<std::string_view> fetches;
  bool must_find_fetches = false;  // it is an error if one of them is no node
};

// The flat graph of `definition`, each output with its shape where it is known:
//   `PartitionedCall`, `StatefulPartitionedCall` and nodes whose type is a function of the library
//     become the nodes of the function, "NAME/inner". The last that makes a result is NAME.
//   `If` and `Case` become the branch of the most FLOPs, unless their condition is constant.
//   `While` becomes its iterations, "NAME/3/inner", if constants say how many there are;
//     beyond `unroll` of them, or 65,536 nodes, one that counts so often. If nothing says it, one.
//   Loops of TensorFlow 1 (Enter, NextIteration) stand once, with the work of all iterations
//     (tf_old_loops.h).
// What is assumed is counted in `summary`. Throws InputError with its place for functions that call
// themselves, for more than kMostImportedNodes, and for Placeholders with unknown extents where
// `dim` is not given. `definition` lives longer than the result.
[[nodiscard]] TfGraph ExpandTfGraph(const TfGraphDefinition& definition,
                                    const std::string& place,
                                    const TfExpansionOptions& options,
                                    ImportSummary& summary);

}  // namespace opyard::graphs
