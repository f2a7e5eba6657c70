// Which tensors of a step grow with its batch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The position of the extent of `shape` that holds the batch: the first that is `batch`, else the
// first that is a multiple of it. Nothing where there is none.
[[nodiscard]] std::optional<std::size_t> FindBatchExtent(std::span<const std::int64_t> shape,
                                                         std::int64_t batch);

// For each tensor: whether it shrinks with the batch, as DivideBatch (divide_batch.h) says. `batch`
// is nothing where it is not known. Throws InputError where the step has no inputs. O(ops + edges).
[[nodiscard]] std::vector<bool> FindBatchTensors(const sim::OpGraph& graph,
                                                 std::int64_t divisor,
                                                 std::optional<std::int64_t> batch);

}  // namespace opyard::graphs
