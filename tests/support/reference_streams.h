// The reference simulator's streams: which kernel stands before which on its device.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "tests/support/reference_fuser.h"
#include "tests/support/reference_kernels.h"

namespace opyard::testing {

// The streams of `plan` as lists of ops, device by device; none under other queues.
[[nodiscard]] std::vector<sim::Stream> StreamsOfOps(const sim::OpGraph& graph,
                                                    const sim::Plan& plan);

// `kernels` (sets of ops by their least topological index) without those that the streams of `plan`
// forbid: their ops are alone. Tried anew from the beginning after each.
[[nodiscard]] std::vector<OpSet> TakeApart(const sim::OpGraph& graph,
                                           const sim::Plan& plan,
                                           std::vector<OpSet> kernels);

// [kernels]: the kernel right before each in its stream, if there is one. A kernel stands where the
// first of its ops stands.
[[nodiscard]] std::vector<std::optional<std::size_t>> KernelsBefore(
    const sim::OpGraph& graph, const sim::Plan& plan, const ReferenceKernels& kernels);

}  // namespace opyard::testing
