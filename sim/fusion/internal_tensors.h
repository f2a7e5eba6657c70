// Which tensors never leave the kernel that makes them, and whose storage the others use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/fusion/fuser.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

// Fills `is_internal` ([num_tensors] by TensorId): 1 for a tensor that has readers, all of them in
// the kernel that makes it, and that is not to be kept. It is neither written nor held in memory.
void FindInternalTensors(const OpGraph& graph,
                         const Kernels& kernels,
                         std::vector<std::uint8_t>& is_internal);

// The same for the outputs of `op`, by its topological index, alone.
void FindInternalOutputs(const OpGraph& graph,
                         const Kernels& kernels,
                         std::int32_t op,
                         std::span<std::uint8_t> is_internal);

// Follows `tensor`, which is not internal, along its aliases as long as they name internal tensors.
// What it arrives at says where `tensor` lies: an alias of parameters, or of an input that is not
// internal, with those; anything else in storage of its own, where an alias is materialised.
[[nodiscard]] TensorId FollowInternalAliases(const OpGraph& graph,
                                             std::span<const std::uint8_t> is_internal,
                                             TensorId tensor);

}  // namespace opyard::sim
