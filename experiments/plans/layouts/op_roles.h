// The roles of ops in a step, as frameworks distinguish them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/modules.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

enum class OpRole : std::uint8_t {
  kOutside,  // of the caller: inputs, and what only the optimizer of the whole network has
  kWeight,   // a weight, optimizer state, or a view of one that costs nothing
  kForward,
  kBackward,
  kUpdate,  // of the optimizer
};

// True for ops that a module's forward or backward pass computes.
[[nodiscard]] constexpr bool IsCompute(OpRole role) {
  return role == OpRole::kForward || role == OpRole::kBackward;
}

// The role of each op: [num_ops]. In a graph that says no phase, what is neither input nor weight
// is forward. Outside are Placeholders, and of the network itself, not of a module below it,
// weights that no forward op reads (the step count of an optimizer) and updates (the norm of all
// gradients). O(ops + edges).
[[nodiscard]] std::vector<OpRole> RolesOf(const sim::OpGraph& graph, const sim::ModuleTree& tree);

}  // namespace opyard::experiments
