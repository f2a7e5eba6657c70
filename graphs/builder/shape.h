// Extents of tensors, outermost first; an empty shape is a scalar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/graph/op.h"

namespace opyard::graphs {

using Shape = std::vector<std::int64_t>;

// The shape and the element type of a tensor.
struct TensorType {
  Shape shape;
  sim::DType dtype = sim::DType::kF32;
};

// The product of the extents. Throws InputError if it is beyond int64.
[[nodiscard]] std::int64_t NumElements(const Shape& shape);

// Packed where elements are smaller than a byte. Throws InputError if they are beyond int64.
[[nodiscard]] Bytes BytesOf(const TensorType& type);

// "[2, 3]"; "[]" for a scalar.
[[nodiscard]] std::string ToText(const Shape& shape);

// The shape of an elementwise result: extents are aligned at the end, and 1 stretches. Nothing if
// they do not fit.
[[nodiscard]] std::optional<Shape> BroadcastShape(const Shape& a, const Shape& b);

}  // namespace opyard::graphs
