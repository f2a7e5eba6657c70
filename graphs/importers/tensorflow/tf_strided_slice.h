// StridedSlice, the op of tensor[begin:end:stride, ..., tf.newaxis].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

struct TfStridedSlice {
  // The part of one axis of the tensor.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t stride = 1;
    std::int64_t count = 0;
  };
  std::vector<Part> parts;
  Shape shape;  // of the result
};

// Inputs: a tensor of `shape`, begin, end, strides; attributes: the five masks. Nothing where one
// of the three lists is not known or does not fit.
[[nodiscard]] std::optional<TfStridedSlice> FindStridedSlice(const TfOp& op, const Shape& shape);

}  // namespace opyard::graphs
