// The step of a part of a batch, from the step of the whole batch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The batch of a step: the leading extent that most of its inputs (ops of type Placeholder) have,
// the first of equals. Nothing where no input says its shape.
[[nodiscard]] std::optional<std::int64_t> FindBatch(const sim::OpGraph& graph);

// The same step for a batch of 1/`divisor`, an approximation: nothing is built anew.
//
// Tensors that shrink to 1/`divisor`: those that depend on an input of the step, or on no weight
// and no constant at all (random masks), and that have an extent which is a multiple of the batch.
// Gradients of weights and terms of their sums keep their size, and so do tensors without such an
// extent (scalars, statistics). Inputs of the step are the Placeholders whose first or second
// extent is the batch; in a graph without Placeholders, forward ops that read nothing, other than
// weights and constants. Where the batch is not known, because inputs say no shape, all of them
// are, and tensors of `divisor` elements or more shrink, rounded up.
//
// An op that reads or makes such a tensor has 1/`divisor` of its FLOPs, workspace and measured
// seconds, launches within them included. The extent of its shape block that holds the batch
// shrinks: the contracted one of gradients of weights, that of the output of others. Its memory
// traffic shrinks as the bytes of its tensors together do; where it is less than they have (ops
// that gather, views), to 1/`divisor`. Weights, updates, and ops that read weights alone stay.
//
// `batch`, where given, stands for FindBatch. Throws InputError where `divisor` does not divide the
// batch, and where the step has no inputs. REQUIRES: divisor >= 1. O(ops + edges).
[[nodiscard]] std::shared_ptr<const sim::OpGraph> DivideBatch(
    const std::shared_ptr<const sim::OpGraph>& graph,
    std::int64_t divisor,
    std::optional<std::int64_t> batch = std::nullopt);

}  // namespace opyard::graphs
