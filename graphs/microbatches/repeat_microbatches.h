// A step over several micro-batches, from the step of one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The most micro-batches of a step.
inline constexpr std::int64_t kMostMicrobatches = 65536;

// The step in which `graph`, the step of one micro-batch, runs `num_microbatches` times before its
// one update. Ops of the forward and the backward pass (passes F, I and W) stand there once per
// micro-batch, "NAME@mb0" and so on; weights, views of them and the update stand there once.
//
// Gradients are added in place, as frameworks with gradient buffers do: for each tensor of the
// backward pass that the update reads, a Variable "NAME/gradient_sum", as large, is resident for
// the whole step, and an op "NAME/accumulate@mb0" and so on of type Accumulate and pass W adds the
// gradient of each micro-batch, in any order. They share the device of the update. The update reads
// the sum and waits for all of them. In a graph without an update the gradients are the tensors of
// the backward pass that are kept, as large as a weight and read by nobody; their sum is kept.
//
// A label of co-location stays where it holds an op with parameters or of the update; else each
// micro-batch has one of its own. Parameters of an op that runs once per micro-batch are resident
// once, where all its copies run. An op that runs once and reads another tensor of the
// micro-batches reads that of the last one, and waits for all.
//
// Ops are ordered as a program that accumulates gradients issues them: weights, all of micro-batch
// 0, all of micro-batch 1, …, the update. Of one micro-batch `graph` itself, renamed. Throws
// InputError where the graph has micro-batches already, has an update without gradients, or says no
// phase. REQUIRES: num_microbatches in [1, kMostMicrobatches]. O(num_microbatches (ops + edges)).
[[nodiscard]] std::shared_ptr<const sim::OpGraph> RepeatMicrobatches(
    const std::shared_ptr<const sim::OpGraph>& graph,
    std::int64_t num_microbatches,
    const std::string& name);

}  // namespace opyard::graphs
