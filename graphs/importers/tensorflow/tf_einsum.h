// TensorFlow's Einsum, whose equation says which axes of two tensors are multiplied.
#pragma once

#include <optional>
#include <string_view>

#include "graphs/importers/common/op_work.h"

namespace opyard::graphs {

// The work of "abc,cd->abd" on tensors of shapes `left` and `right`, as a batch of products: labels
// of both tensors and the result are its batch, those of both tensors alone its inner extent, all
// others rows and columns. Nothing for another form, an ellipsis included, or where the shapes do
// not fit.
[[nodiscard]] std::optional<OpWork> EinsumWork(std::string_view equation,
                                               const Shape& left,
                                               const Shape& right);

}  // namespace opyard::graphs
