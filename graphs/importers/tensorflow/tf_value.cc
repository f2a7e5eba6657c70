#include "graphs/importers/tensorflow/tf_value.h"

#include <algorithm>
#include <cmath>

namespace opyard::graphs {

std::optional<Shape> StaticShape(const TfExtents& extents) {
  const bool is_static =
      extents.has_value() && std::ranges::all_of(*extents, [](std::int64_t extent) {
        return extent >= 0 && extent <= kLargestTfExtent;
      });
  return is_static ? extents : std::nullopt;
}

std::vector<std::int64_t> WholeNumbers(const std::vector<double>& elements) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  std::vector<std::int64_t> numbers;
  numbers.reserve(elements.size());
  for (const double element : elements) {
    const double bounded = std::isnan(element) ? 0.0 : std::clamp(element, -kMost, kMost);
    numbers.push_back(static_cast<std::int64_t>(bounded));
  }
  return numbers;
}

std::optional<std::vector<std::int64_t>> NumbersIn(const TfOp& op, std::size_t input) {
  const std::vector<double>* elements = op.ConstantOf(input);
  return elements == nullptr ? std::nullopt : std::optional(WholeNumbers(*elements));
}

std::optional<std::size_t> FindAxis(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

}  // namespace opyard::graphs
