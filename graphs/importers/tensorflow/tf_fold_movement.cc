#include <algorithm>
#include <cmath>

#include "graphs/importers/tensorflow/tf_fold_rules.h"
#include "graphs/importers/tensorflow/tf_strided_slice.h"

namespace opyard::graphs {
namespace {

// A tensor of at most one axis: its elements are in the order of that.
bool IsList(const TfOp& op, std::size_t input) {
  return op.ConstantOf(input) != nullptr && op.ShapeOf(input) != nullptr &&
         op.ShapeOf(input)->size() <= 1;
}

}  // namespace

// The extents, or the tensor that fills them all.
TfElements FoldFill(const TfOp& op, const Shape& shape) {
  const std::size_t value = op.type == "Fill" ? 1 : 0;
  const std::vector<double>* element = op.ConstantOf(value);
  if (element == nullptr || element->size() != 1) {
    return std::nullopt;
  }
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    count *= extent;
  }
  return std::vector<double>(static_cast<std::size_t>(count), element->front());
}

TfElements FoldRange(const TfOp& op, const Shape& shape) {
  if (op.ConstantOf(0) == nullptr || op.ConstantOf(0)->size() != 1 || op.ConstantOf(2) == nullptr ||
      op.ConstantOf(2)->size() != 1 || shape.size() != 1) {
    return std::nullopt;
  }
  const double delta = op.ConstantOf(2)->front();
  std::vector<double> elements;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    elements.push_back(op.ConstantOf(0)->front() + static_cast<double>(i) * delta);
  }
  return elements;
}

TfElements FoldConcat(const TfOp& op, const Shape& shape) {
  const bool is_last = op.type == "ConcatV2";
  const std::size_t first = op.type == "Concat" ? 1 : 0;
  const std::size_t last = op.inputs.size() - (is_last ? 1 : 0);
  const bool rows_in_order = op.type == "Pack" && op.attributes.Integer("axis", 0) == 0;
  if (shape.size() != 1 && !rows_in_order) {
    return std::nullopt;
  }
  std::vector<double> elements;
  for (std::size_t i = first; i < last; ++i) {
    if (op.ConstantOf(i) == nullptr) {
      return std::nullopt;
    }
    elements.insert(elements.end(), op.ConstantOf(i)->begin(), op.ConstantOf(i)->end());
  }
  return elements;
}

TfElements FoldGather(const TfOp& op, const Shape& /*shape*/) {
  if (!IsList(op, 0) || op.ConstantOf(1) == nullptr) {
    return std::nullopt;
  }
  const std::vector<double>& table = *op.ConstantOf(0);
  std::vector<double> elements;
  for (const std::int64_t index : WholeNumbers(*op.ConstantOf(1))) {
    const auto place = FindAxis(index, table.size());
    if (!place.has_value()) {
      return std::nullopt;
    }
    elements.push_back(table[*place]);
  }
  return elements;
}

TfElements FoldSlice(const TfOp& op, const Shape& shape) {
  if (!IsList(op, 0) || op.ConstantOf(1) == nullptr || op.ConstantOf(1)->size() != 1 ||
      shape.size() != 1) {
    return std::nullopt;
  }
  const std::vector<double>& from = *op.ConstantOf(0);
  const std::int64_t begin = WholeNumbers(*op.ConstantOf(1))[0];
  const auto size = static_cast<std::int64_t>(from.size());
  if (begin < 0 || begin > size || shape[0] > size - begin) {
    return std::nullopt;
  }
  return std::vector<double>(from.begin() + begin, from.begin() + begin + shape[0]);
}

TfElements FoldStridedSlice(const TfOp& op, const Shape& /*shape*/) {
  if (!IsList(op, 0)) {
    return std::nullopt;
  }
  const std::vector<double>& from = *op.ConstantOf(0);
  const auto slice = FindStridedSlice(op, *op.ShapeOf(0));
  if (!slice.has_value() || slice->parts.size() > 1) {
    return std::nullopt;
  }
  if (slice->parts.empty()) {
    return from;
  }
  std::vector<double> elements;
  const TfStridedSlice::Part& part = slice->parts[0];
  for (std::int64_t i = 0; i < part.count; ++i) {
    const std::int64_t place = part.begin + i * part.stride;
    if (place < 0 || place >= static_cast<std::int64_t>(from.size())) {
      return std::nullopt;
    }
    elements.push_back(from[static_cast<std::size_t>(place)]);
  }
  return elements;
}

TfElements FoldBroadcastArgs(const TfOp& op) {
  if (op.ConstantOf(0) == nullptr || op.ConstantOf(1) == nullptr) {
    return std::nullopt;
  }
  const auto shape =
      BroadcastShape(WholeNumbers(*op.ConstantOf(0)), WholeNumbers(*op.ConstantOf(1)));
  return shape.has_value() ? TfElements(std::vector<double>(shape->begin(), shape->end()))
                           : std::nullopt;
}

std::vector<TfElements> FoldBroadcastGradientArgs(const TfOp& op) {
  if (op.ConstantOf(0) == nullptr || op.ConstantOf(1) == nullptr) {
    return {std::nullopt, std::nullopt};
  }
  const std::vector<double>& left = *op.ConstantOf(0);
  const std::vector<double>& right = *op.ConstantOf(1);
  const std::size_t rank = std::max(left.size(), right.size());
  std::vector<double> left_axes;
  std::vector<double> right_axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto extent = [&](const std::vector<double>& shape) {
      const std::size_t missing = rank - shape.size();
      return axis < missing ? 1.0 : shape[axis - missing];
    };
    if (extent(left) == 1.0) {
      left_axes.push_back(static_cast<double>(axis));
    }
    if (extent(right) == 1.0) {
      right_axes.push_back(static_cast<double>(axis));
    }
  }
  return {left_axes, right_axes};
}

}  // namespace opyard::graphs
