// The roles of ops in a step, as frameworks distinguish them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::experiments {

enum class OpRole : std::uint8_t {
  kInput,     // a Placeholder: who calls the network hands it over
  kWeight,    // a weight, optimizer state, or a view of one that costs nothing
  kForward,
  kBackward,
  kUpdate,    // of the optimizer
};

// True for ops that a module's forward or backward pass computes.
[[nodiscard]] constexpr bool IsCompute(OpRole role) {
  return role == OpRole::kForward || role == OpRole::kBackward;
}

// The role of each op: [num_ops]. In a graph that says no phase, what is neither input nor weight
// is forward. O(ops + edges).
[[nodiscard]] std::vector<OpRole> RolesOf(const sim::OpGraph& graph);

}  // namespace opyard::experiments
