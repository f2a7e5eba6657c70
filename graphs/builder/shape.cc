#include "graphs/builder/shape.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/graph/element_bytes.h"

namespace opyard::graphs {
namespace {

std::int64_t Product(std::int64_t a, std::int64_t b, const Shape& shape) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw InputError("shape " + ToText(shape) + ": has more bytes than 64 bits can count");
  }
  return product;
}

// Extent `i` from the end, 1 beyond the first.
std::int64_t FromEnd(const Shape& shape, std::size_t i) {
  return i < shape.size() ? shape[shape.size() - 1 - i] : 1;
}

}  // namespace

std::int64_t NumElements(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    count = Product(count, extent, shape);
  }
  return count;
}

Bytes BytesOf(const TensorType& type) {
  const std::int64_t count = NumElements(type.shape);
  const std::int64_t bits = sim::ElementBits(type.dtype);
  return Bytes{bits >= 8 ? Product(count, bits / 8, type.shape)
                         : sim::PackedBytes(type.dtype, count)};
}

std::string ToText(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

std::optional<Shape> BroadcastShape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t left = FromEnd(a, i);
    const std::int64_t right = FromEnd(b, i);
    if (left != right && left != 1 && right != 1) {
      return std::nullopt;
    }
    result[result.size() - 1 - i] = left == 1 ? right : left;
  }
  return result;
}

}  // namespace opyard::graphs
