// Which ops of a TensorFlow graph run forward, backward, in the update.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/importers/tensorflow/tf_graph.h"

namespace opyard::graphs {

// One phase per node; all unknown where no node stands in a scope of gradients. `order` is
// topological. O(nodes + edges).
[[nodiscard]] std::vector<sim::Phase> FindTfPhases(const TfGraph& graph,
                                                   std::span<const std::int32_t> order);

}  // namespace opyard::graphs
