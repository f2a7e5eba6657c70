// Which of TensorFlow's messages a file holds, in the text form or the wire format.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opyard::graphs {

enum class TfDocument {
  kNone,
  kGraph,      // GraphDef, MetaGraphDef, SavedModel
  kCostGraph,  // CostGraphDef, or RunMetadata that holds one
};

// By the names of fields, and by what the nodes hold. A binary file whose nodes hold nothing that
// decides is a GraphDef if `path` ends in .pb (or .pb.gz), a text a CostGraphDef.
[[nodiscard]] TfDocument FindTfDocument(std::string_view bytes, std::string_view path);

// A message in the wire format.
struct TfGraphMessage {
  std::shared_ptr<const std::string> encoded;  // owns what was a text
  std::string_view graph;                      // GraphDef
  // Nodes that make what a signature of the model gives; empty where it has none.
  std::vector<std::string_view> fetches;
};

// The GraphDef of a file that holds one, alone or within another message. `bytes` live longer.
// Throws InputError with `place` for a text that cannot be read, and for a model without a graph.
[[nodiscard]] TfGraphMessage ReadTfGraphMessage(std::string_view bytes, const std::string& place);

// The same for a CostGraphDef.
[[nodiscard]] TfGraphMessage ReadTfCostGraphMessage(std::string_view bytes,
                                                    const std::string& place);

}  // namespace opyard::graphs
