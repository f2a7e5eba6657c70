// The role of each node of a TensorFlow graph: an op, a variable, or nothing that runs.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/importers/tensorflow/tf_graph.h"

namespace opyard::graphs {

enum class TfRole : std::uint8_t { kOp, kVariable, kRead, kUpdate, kConstant, kPassThrough, kEnd };

struct TfRoles {
  std::vector<TfRole> role;               // [nodes]
  std::vector<std::size_t> variable;      // [nodes]: the first of the variables that share a device
                                          // with a variable, read or update; else the node itself
  std::vector<TfTensor> variable_tensor;  // [nodes]: what a variable holds
};

// O(nodes + edges).
[[nodiscard]] TfRoles FindTfRoles(const TfGraph& graph);

}  // namespace opyard::graphs
