// Constant folding of ops with constant inputs: shape arithmetic, counters of loops.
#pragma once

#include <optional>
#include <vector>

#include "graphs/importers/tensorflow/tf_shape_rules.h"
#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

// The elements of each output of `op`, in row-major order, as far as they follow from the constants
// among its inputs (TfOp::ConstantOf), their shapes and its attributes; nothing for an output that
// is not known or has more than kMostTfElements. `shapes` has one shape per output. `type` is the
// element type of the first output, a number of TensorFlow's DataType. The quotient of integers is
// rounded down by FloorDiv and toward zero by the other divisions. No side effects.
[[nodiscard]] std::vector<std::optional<std::vector<double>>> FoldTfConstants(
    const TfOp& op, const TfShapes& shapes, std::int64_t type);

}  // namespace opyard::graphs
