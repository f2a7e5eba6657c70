// The edges of a GraphML file: which output of its source each carries, and to which argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphs/importers/graphml/graphml_node.h"

namespace opyard::graphs {

struct GraphmlEdge {
  std::size_t offset = 0;  // in the file
  std::size_t source = 0;  // index of a node
  std::size_t target = 0;
  std::optional<std::int64_t> output;  // of the source
  std::optional<std::int64_t> input;   // argument of the target
  std::optional<Bytes> bytes;
  bool is_control = false;
};

// Fills the inputs of `nodes`, and the outputs of those that list none. Edges of one source
// without `output` carry one tensor if they are of one size. A size that is not given is that of
// the source, else the largest of the file, which the summary counts. The arguments of a node
// stand in the order of `input`, each once, or else in the file's order. O(edges · log edges).
void ConnectGraphml(std::vector<GraphmlEdge>& edges,
                    const GraphmlDocument& document,
                    std::vector<GraphmlNode>& nodes,
                    GraphmlReading& reading);

}  // namespace opyard::graphs
