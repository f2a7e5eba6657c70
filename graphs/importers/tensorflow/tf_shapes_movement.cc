// Movement of whole tensors.
#include <algorithm>

#include "graphs/importers/tensorflow/tf_layout.h"
#include "graphs/importers/tensorflow/tf_shape_rules.h"

namespace opyard::graphs {
namespace {

// The one number of constant `input`.
std::optional<std::int64_t> NumberIn(const TfOp& op, std::size_t input) {
  const std::vector<double>* elements = op.ConstantOf(input);
  return elements != nullptr && elements->size() == 1 ? std::optional(WholeNumbers(*elements)[0])
                                                      : std::nullopt;
}

// The shape of the inputs [first, last) together, which differ along one axis alone.
std::optional<Shape> Concatenate(const TfOp& op,
                                 std::size_t first,
                                 std::size_t last,
                                 std::optional<std::int64_t> at) {
  if (first >= last || op.ShapeOf(first) == nullptr || !at.has_value()) {
    return std::nullopt;
  }
  Shape shape = *op.ShapeOf(first);
  const auto axis = FindAxis(*at, shape.size());
  if (!axis.has_value()) {
    return std::nullopt;
  }
  for (std::size_t i = first + 1; i < last; ++i) {
    const Shape* other = op.ShapeOf(i);
    if (other == nullptr || other->size() != shape.size()) {
      return std::nullopt;
    }
    shape[*axis] += (*other)[*axis];
  }
  return StaticShape(shape);
}

// tf.concat of quantised tensors has the least and the greatest of each input behind the tensors.
std::size_t NumConcatenated(const TfOp& op, std::size_t most) {
  const auto count = static_cast<std::size_t>(
      std::max<std::int64_t>(0, op.attributes.Integer("N", static_cast<std::int64_t>(most))));
  return std::min(count, most);
}

// Extents along the axes of space, times or divided by a block.
TfShapes Regroup(const TfOp& op, bool to_depth) {
  const Shape* from = op.ShapeOf(0);
  const std::int64_t block = op.attributes.Integer("block_size", 0);
  if (from == nullptr || from->size() != 4 || block < 1 || block > 4096) {
    return {std::nullopt};
  }
  const TfLayout layout(op.attributes, from->size());
  Shape shape = layout.ChannelsFirst(*from);
  shape[1] = to_depth ? shape[1] * block * block : shape[1] / (block * block);
  for (std::size_t axis = 2; axis < shape.size(); ++axis) {
    shape[axis] = to_depth ? shape[axis] / block : shape[axis] * block;
  }
  return {StaticShape(layout.FromChannelsFirst(shape))};
}

}  // namespace

TfShapes ShapeOfTranspose(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto order = NumbersIn(op, 1);
  if (from == nullptr || !order.has_value() || order->size() != from->size()) {
    return {std::nullopt};
  }
  Shape shape;
  for (const std::int64_t entry : *order) {
    const auto axis = FindAxis(entry, from->size());
    if (!axis.has_value()) {
      return {std::nullopt};
    }
    shape.push_back((*from)[*axis]);
  }
  return {shape};
}

TfShapes ShapeOfConcat(const TfOp& op) {
  const std::size_t most = op.inputs.empty() ? 0 : op.inputs.size() - 1;
  TfShapes shapes{Concatenate(op, 1, 1 + NumConcatenated(op, most), NumberIn(op, 0))};
  if (op.type == "QuantizedConcat") {
    shapes.resize(3, Shape());
  }
  return shapes;
}

TfShapes ShapeOfConcatV2(const TfOp& op) {
  const std::size_t last = op.inputs.empty() ? 0 : op.inputs.size() - 1;
  return {Concatenate(op, 0, last, NumberIn(op, last))};
}

// axis, tensor.
TfShapes ShapesOfSplit(const TfOp& op) {
  const std::int64_t count = op.attributes.Integer("num_split", 1);
  if (count < 1 || count > 65'536) {
    return {};
  }
  TfShapes shapes(static_cast<std::size_t>(count));
  const Shape* from = op.ShapeOf(1);
  const auto at = NumberIn(op, 0);
  const auto axis = from != nullptr && at.has_value() ? FindAxis(*at, from->size()) : std::nullopt;
  if (axis.has_value()) {
    Shape part = *from;
    part[*axis] /= count;
    std::ranges::fill(shapes, part);
  }
  return shapes;
}

// tensor, sizes, of which one may be −1, axis.
TfShapes ShapesOfSplitV(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  auto sizes = NumbersIn(op, 1);
  const auto at = NumberIn(op, 2);
  const auto axis = from != nullptr && at.has_value() ? FindAxis(*at, from->size()) : std::nullopt;
  if (!sizes.has_value() || !axis.has_value()) {
    const std::int64_t count = op.attributes.Integer("num_split", 1);
    return TfShapes(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 1, 65'536)));
  }
  std::int64_t rest = (*from)[*axis];
  for (const std::int64_t size : *sizes) {
    rest -= std::max<std::int64_t>(size, 0);
  }
  TfShapes shapes;
  for (const std::int64_t size : *sizes) {
    Shape part = *from;
    part[*axis] = size == -1 ? rest : size;
    shapes.push_back(StaticShape(part));
  }
  return shapes;
}

TfShapes ShapeOfPack(const TfOp& op) {
  const TfShapes any = ShapeOfAny(op);
  if (!any[0].has_value()) {
    return any;
  }
  Shape shape = *any[0];
  const auto axis = FindAxis(op.attributes.Integer("axis", 0), shape.size() + 1);
  if (!axis.has_value()) {
    return {std::nullopt};
  }
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis),
               static_cast<std::int64_t>(op.inputs.size()));
  return {shape};
}

TfShapes ShapesOfUnpack(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto axis =
      from == nullptr ? std::nullopt : FindAxis(op.attributes.Integer("axis", 0), from->size());
  const std::int64_t count = op.attributes.Integer("num", axis.has_value() ? (*from)[*axis] : 1);
  if (count < 0 || count > 65'536) {
    return {};
  }
  std::optional<Shape> part;
  if (axis.has_value()) {
    part = *from;
    part->erase(part->begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  return TfShapes(static_cast<std::size_t>(count), part);
}

// tensor, multiples.
TfShapes ShapeOfTile(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto multiples = NumbersIn(op, 1);
  if (from == nullptr || !multiples.has_value() || multiples->size() != from->size()) {
    return {std::nullopt};
  }
  Shape shape = *from;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (__builtin_mul_overflow(shape[i], (*multiples)[i], &shape[i])) {
      return {std::nullopt};
    }
  }
  return {StaticShape(shape)};
}

TfShapes ShapeOfSpaceToDepth(const TfOp& op) {
  return Regroup(op, true);
}

TfShapes ShapeOfDepthToSpace(const TfOp& op) {
  return Regroup(op, false);
}

// tensor, block, paddings or crops [blocks, 2].
TfShapes ShapeOfSpaceToBatch(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto block = NumbersIn(op, 1);
  const auto pads = NumbersIn(op, 2);
  if (from == nullptr || !block.has_value() || !pads.has_value() || from->size() <= block->size() ||
      pads->size() != 2 * block->size()) {
    return {std::nullopt};
  }
  Shape shape = *from;
  for (std::size_t i = 0; i < block->size(); ++i) {
    if ((*block)[i] < 1 || __builtin_mul_overflow(shape[0], (*block)[i], &shape[0])) {
      return {std::nullopt};
    }
    shape[1 + i] = (shape[1 + i] + (*pads)[2 * i] + (*pads)[2 * i + 1]) / (*block)[i];
  }
  return {StaticShape(shape)};
}

TfShapes ShapeOfBatchToSpace(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const auto block = NumbersIn(op, 1);
  const auto crops = NumbersIn(op, 2);
  if (from == nullptr || !block.has_value() || !crops.has_value() ||
      from->size() <= block->size() || crops->size() != 2 * block->size()) {
    return {std::nullopt};
  }
  Shape shape = *from;
  for (std::size_t i = 0; i < block->size(); ++i) {
    if ((*block)[i] < 1 || (*block)[i] > kLargestTfExtent) {
      return {std::nullopt};
    }
    shape[0] /= (*block)[i];
    shape[1 + i] = shape[1 + i] * (*block)[i] - (*crops)[2 * i] - (*crops)[2 * i + 1];
  }
  return {StaticShape(shape)};
}

// image [batch, height, width, channels], [height, width].
TfShapes ShapeOfResize(const TfOp& op) {
  const Shape* image = op.ShapeOf(0);
  const auto size = NumbersIn(op, 1);
  if (image == nullptr || image->size() != 4 || !size.has_value() || size->size() != 2) {
    return {std::nullopt};
  }
  return {StaticShape(Shape{(*image)[0], (*size)[0], (*size)[1], (*image)[3]})};
}

// image, boxes [boxes, 4], the box of each, [height, width].
TfShapes ShapeOfCropAndResize(const TfOp& op) {
  const Shape* image = op.ShapeOf(0);
  const Shape* boxes = op.ShapeOf(1);
  const auto size = NumbersIn(op, 3);
  if (image == nullptr || image->size() != 4 || boxes == nullptr || boxes->empty() ||
      !size.has_value() || size->size() != 2) {
    return {std::nullopt};
  }
  return {StaticShape(Shape{(*boxes)[0], (*size)[0], (*size)[1], (*image)[3]})};
}

TfShapes ShapeOfDiag(const TfOp& op) {
  TfShapes shapes = ShapeOfFirst(op);
  if (shapes[0].has_value() && !shapes[0]->empty()) {
    shapes[0]->push_back(shapes[0]->back());
  }
  return shapes;
}

TfShapes ShapeOfDiagPart(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  if (from == nullptr || from->size() < 2) {
    return {std::nullopt};
  }
  Shape shape(from->begin(), from->end() - 1);
  shape.back() = std::min(shape.back(), from->back());
  return {shape};
}

}  // namespace opyard::graphs
