// The constants that ops make of constants: arithmetic over shapes, counters of loops.
#pragma once

#include <optional>
#include <vector>

#include "graphs/importers/tensorflow/tf_shape_rules.h"
#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

// The elements of each output of `op`, in row-major order; nothing where they are not known or more
// than kMostTfElements. `shapes` are those of the outputs, `type` is the DataType of the first.
// Integer division rounds as TensorFlow's. Pure.
[[nodiscard]] std::vector<std::optional<std::vector<double>>> FoldTfConstants(
    const TfOp& op, const TfShapes& shapes, std::int64_t type);

}  // namespace opyard::graphs
