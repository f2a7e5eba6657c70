// Parts of tensors, padding and look-ups.
#include <algorithm>

#include "graphs/importers/tensorflow/tf_shape_rules.h"
#include "graphs/importers/tensorflow/tf_strided_slice.h"

namespace opyard::graphs {
namespace {

// The axis of a Gather: the third input of GatherV2, else 0.
std::optional<std::size_t> GatherAxis(const TfOp& op, std::size_t rank) {
  if (op.type != "GatherV2") {
    return FindAxis(0, rank);
  }
  const auto numbers = NumbersIn(op, 2);
  return numbers.has_value() && numbers->size() == 1 ? FindAxis((*numbers)[0], rank) : std::nullopt;
}

std::optional<Shape> TableOf(const TfOp& op) {
  if (const TfHolding* holding = op.HoldingOf(0); holding != nullptr && !holding->extents.empty()) {
    return StaticShape(holding->extents[0]);
  }
  return op.ShapeOf(0) == nullptr ? std::nullopt : std::optional(*op.ShapeOf(0));
}

}  // namespace

// tensor, begin, size, where −1 stands for the rest.
TfShapes ShapeOfSlice(const TfOp& op) {
  auto size = NumbersIn(op, 2);
  const Shape* from = op.ShapeOf(0);
  const auto begin = NumbersIn(op, 1);
  if (!size.has_value()) {
    return {std::nullopt};
  }
  for (std::size_t i = 0; i < size->size(); ++i) {
    if ((*size)[i] != -1) {
      continue;
    }
    if (from == nullptr || !begin.has_value() || begin->size() != size->size() ||
        from->size() != size->size()) {
      return {std::nullopt};
    }
    (*size)[i] = (*from)[i] - (*begin)[i];
  }
  return {StaticShape(*size)};
}

TfShapes ShapeOfStridedSlice(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto slice = from == nullptr ? std::nullopt : FindStridedSlice(op, *from);
  return {slice.has_value() ? std::optional(slice->shape) : std::nullopt};
}

// All axes of extent 1, or those of squeeze_dims.
TfShapes ShapeOfSqueeze(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  if (from == nullptr) {
    return {std::nullopt};
  }
  std::vector<std::int64_t> axes = op.attributes.Integers("squeeze_dims");
  if (axes.empty()) {
    axes = op.attributes.Integers("axis");
  }
  std::vector<bool> goes(from->size(), false);
  for (std::size_t i = 0; i < from->size(); ++i) {
    goes[i] = axes.empty() && (*from)[i] == 1;
  }
  for (const std::int64_t entry : axes) {
    if (const auto axis = FindAxis(entry, from->size())) {
      goes[*axis] = true;
    }
  }
  Shape shape;
  for (std::size_t i = 0; i < from->size(); ++i) {
    if (!goes[i]) {
      shape.push_back((*from)[i]);
    }
  }
  return {shape};
}

TfShapes ShapeOfExpandDims(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto at = NumbersIn(op, 1);
  if (from == nullptr || !at.has_value() || at->size() != 1) {
    return {std::nullopt};
  }
  const auto axis = FindAxis((*at)[0], from->size() + 1);
  if (!axis.has_value()) {
    return {std::nullopt};
  }
  Shape shape = *from;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), 1);
  return {shape};
}

// tensor, paddings [rank, 2].
TfShapes ShapeOfPad(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto pads = NumbersIn(op, 1);
  if (from == nullptr || !pads.has_value() || pads->size() != 2 * from->size()) {
    return {std::nullopt};
  }
  Shape shape = *from;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] += (*pads)[2 * i] + (*pads)[2 * i + 1];
  }
  return {StaticShape(shape)};
}

// The axis of the table gives way to the axes of the indices.
TfShapes ShapeOfGather(const TfOp& op) {
  const std::optional<Shape> table = TableOf(op);
  const Shape* indices = op.ShapeOf(1);
  const auto axis = table.has_value() ? GatherAxis(op, table->size()) : std::nullopt;
  const std::int64_t batch = op.attributes.Integer("batch_dims", 0);
  if (indices == nullptr || !axis.has_value()) {
    return {std::nullopt};
  }
  const auto skipped = FindAxis(batch, indices->size() + 1);
  if (!skipped.has_value() || *skipped > *axis) {
    return {std::nullopt};
  }
  Shape shape(table->begin(), table->begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(
      shape.end(), indices->begin() + static_cast<std::ptrdiff_t>(*skipped), indices->end());
  shape.insert(shape.end(), table->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, table->end());
  return {shape};
}

// The last axis of the indices lists coordinates.
TfShapes ShapeOfGatherNd(const TfOp& op) {
  const std::optional<Shape> table = TableOf(op);
  const Shape* indices = op.ShapeOf(1);
  if (!table.has_value() || indices == nullptr || indices->empty() || indices->back() < 0 ||
      indices->back() > static_cast<std::int64_t>(table->size())) {
    return {std::nullopt};
  }
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), table->begin() + indices->back(), table->end());
  return {shape};
}

}  // namespace opyard::graphs
