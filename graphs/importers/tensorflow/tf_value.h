// Facts about the tensors of a TensorFlow graph before it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graphs/importers/tensorflow/tf_attributes.h"

namespace opyard::graphs {

// The object behind a handle: the tensor of a variable, the elements of a list, an iterator or a
// queue.
struct TfHolding {
  std::vector<TfExtents> extents;  // of each component
  std::vector<std::int64_t> types;
  std::optional<std::int64_t> length;  // of a list
};

struct TfValue {
  std::optional<Shape> shape;  // nothing where it is not static
  std::int64_t type = 0;       // DataType; 0 where it is not known
  // For a tensor without a static shape, if another has as many: a Reshape to extents that are not
  // known.
  std::optional<std::int64_t> num_elements = std::nullopt;
  // All elements, at most kMostTfElements; then the shape is known, too.
  std::optional<std::vector<double>> constant = std::nullopt;
  std::shared_ptr<const TfHolding> holding = nullptr;  // of a resource or variant
};

// An op and what it reads.
struct TfOp {
  std::string_view type;
  const TfAttributes& attributes;
  std::span<const TfValue* const> inputs;

  // Null where there is no such input or its shape is not known.
  [[nodiscard]] const Shape* ShapeOf(std::size_t input) const {
    return input < inputs.size() && inputs[input]->shape.has_value() ? &*inputs[input]->shape
                                                                     : nullptr;
  }
  // Null where there is no such input or its elements are not known.
  [[nodiscard]] const std::vector<double>* ConstantOf(std::size_t input) const {
    return input < inputs.size() && inputs[input]->constant.has_value() ? &*inputs[input]->constant
                                                                        : nullptr;
  }
  [[nodiscard]] const TfHolding* HoldingOf(std::size_t input) const {
    return input < inputs.size() ? inputs[input]->holding.get() : nullptr;
  }
};

// The largest extent that is followed.
inline constexpr std::int64_t kLargestTfExtent = std::int64_t{1} << 31;

// `extents` if all are known and none is beyond its limit.
[[nodiscard]] std::optional<Shape> StaticShape(const TfExtents& extents);

// The elements as whole numbers; those beyond 2^53 become the nearest that fits.
[[nodiscard]] std::vector<std::int64_t> WholeNumbers(const std::vector<double>& elements);

// The elements of constant `input` as whole numbers; nothing where they are not known.
[[nodiscard]] std::optional<std::vector<std::int64_t>> NumbersIn(const TfOp& op, std::size_t input);

// `axis` from 0, counted from the end where it is negative; nothing outside of `rank` axes.
[[nodiscard]] std::optional<std::size_t> FindAxis(std::int64_t axis, std::size_t rank);

}  // namespace opyard::graphs
