// Variants of a graph: the same ops with tensors of other sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// REGAL (Paliwal et al., ICLR 2020) makes about a hundred graphs of each by varying the sizes of
// its tensors; how is not known. Here each tensor's bytes are multiplied by a factor of its own,
// log-normal with median 1 and standard deviation 0.5 of the logarithm, within 1/10 … 10, and
// rounded up to whole elements. Tensors that share a storage (views, updates in place) share the
// factor; what aliases parameters, like all parameters, keeps its size, and 0 bytes stay 0. FLOPs,
// traffic, workspace and measured seconds of an op change as the sum of its inputs and outputs
// does. Shapes and shape blocks of what changes are dropped: they would contradict the sizes.
//
// Equal graphs and seeds give equal variants, named `name`. Throws InputError if bytes overflow.
// O(ops + edges).
[[nodiscard]] std::shared_ptr<const sim::OpGraph> VarySizes(const sim::OpGraph& graph,
                                                            const std::string& name,
                                                            std::uint64_t seed);

}  // namespace opyard::graphs
