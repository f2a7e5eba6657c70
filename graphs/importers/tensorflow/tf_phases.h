// The phases and the modules of the ops of a TensorFlow graph.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graphs/importers/tensorflow/tf_graph.h"
#include "graphs/importers/tensorflow/tf_roles.h"

namespace opyard::graphs {

// One phase per node; all unknown where no node stands in a scope of gradients. `order` is
// topological. O(nodes + edges).
[[nodiscard]] std::vector<sim::Phase> FindTfPhases(const TfGraph& graph,
                                                   std::span<const std::int32_t> order);

// The modules in the names of nodes (sim/graph/name_scopes.h), variables as parts of the forward
// pass: [nodes]. `phases` are those of FindTfPhases.
[[nodiscard]] std::vector<std::optional<std::string>> FindTfModules(
    const TfGraph& graph, const TfRoles& roles, std::span<const sim::Phase> phases);

}  // namespace opyard::graphs
