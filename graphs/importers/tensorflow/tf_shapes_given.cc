// Shapes that stand in attributes, constants or behind handles.
#include <algorithm>
#include <cmath>

#include "graphs/importers/tensorflow/tf_fold_rules.h"
#include "graphs/importers/tensorflow/tf_shape_rules.h"

namespace opyard::graphs {
namespace {

// The shape whose extents input `input` holds.
std::optional<Shape> ShapeIn(const TfOp& op, std::size_t input) {
  const std::vector<double>* extents = op.ConstantOf(input);
  return extents == nullptr ? std::nullopt : StaticShape(WholeNumbers(*extents));
}

bool IsSmaller(double a, double b) {
  return a < b;  // false for NaN
}

}  // namespace

TfShapes ShapeInFirst(const TfOp& op) {
  return {ShapeIn(op, 0)};
}

TfShapes ShapeInSecond(const TfOp& op) {
  return {ShapeIn(op, 1)};
}

TfShapes ShapeInThird(const TfOp& op) {
  return {ShapeIn(op, 2)};
}

// One extent may be −1.
TfShapes ShapeOfReshape(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const std::vector<double>* wanted = op.ConstantOf(1);
  if (wanted == nullptr) {
    return {std::nullopt};
  }
  Shape shape = WholeNumbers(*wanted);
  if (from == nullptr) {
    return {StaticShape(shape)};  // as far as it needs no other
  }
  const auto open = std::ranges::find(shape, -1);
  if (open == shape.end()) {
    const std::optional<Shape> given = StaticShape(shape);
    const bool fits = given.has_value() && NumElements(*given) == NumElements(*from);
    return {fits ? given : std::nullopt};
  }
  *open = 1;
  if (!StaticShape(shape).has_value()) {
    return {std::nullopt};
  }
  const std::int64_t given = NumElements(shape);
  const std::int64_t all = NumElements(*from);
  if (given == 0 || all % given != 0) {
    return {std::nullopt};
  }
  *open = all / given;
  return {StaticShape(shape)};
}

// start, limit, delta.
TfShapes ShapeOfRange(const TfOp& op) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (op.ConstantOf(i) == nullptr || op.ConstantOf(i)->size() != 1) {
      return {std::nullopt};
    }
  }
  const double count =
      std::ceil(((*op.ConstantOf(1))[0] - (*op.ConstantOf(0))[0]) / (*op.ConstantOf(2))[0]);
  if (!IsSmaller(-1.0, count) || !IsSmaller(count, static_cast<double>(kLargestTfExtent))) {
    return {std::isfinite(count) && count < 0.0 ? std::optional(Shape{0}) : std::nullopt};
  }
  return {Shape{static_cast<std::int64_t>(count)}};
}

TfShapes ShapeOfLinSpace(const TfOp& op) {
  const std::vector<double>* count = op.ConstantOf(2);
  return {count != nullptr && count->size() == 1 ? StaticShape(WholeNumbers(*count))
                                                 : std::nullopt};
}

TfShapes ShapesOfRanks(const TfOp& op) {
  TfShapes shapes;
  for (const TfValue* input : op.inputs) {
    shapes.push_back(input->shape.has_value()
                         ? std::optional(Shape{static_cast<std::int64_t>(input->shape->size())})
                         : std::nullopt);
  }
  return shapes;
}

// indices, depth.
TfShapes ShapeOfOneHot(const TfOp& op) {
  const Shape* indices = op.ShapeOf(0);
  const std::vector<double>* depth = op.ConstantOf(1);
  if (indices == nullptr || depth == nullptr || depth->size() != 1) {
    return {std::nullopt};
  }
  const auto axis = FindAxis(op.attributes.Integer("axis", -1), indices->size() + 1);
  if (!axis.has_value()) {
    return {std::nullopt};
  }
  Shape shape = *indices;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), WholeNumbers(*depth)[0]);
  return {StaticShape(shape)};
}

TfShapes ShapeInAttribute(const TfOp& op) {
  return {StaticShape(op.attributes.Extents("shape"))};
}

TfShapes ShapeOfConst(const TfOp& op) {
  const std::optional<TfTensorContent> value = op.attributes.Tensor("value");
  return {value.has_value() ? StaticShape(value->extents) : std::nullopt};
}

TfShapes ShapeOfHandle(const TfOp& /*op*/) {
  return {Shape()};
}

TfShapes ShapesInList(const TfOp& op) {
  TfShapes shapes;
  for (const TfExtents& extents : op.attributes.ExtentsList("output_shapes")) {
    shapes.push_back(StaticShape(extents));
  }
  return shapes;
}

TfShapes ShapesHeld(const TfOp& op) {
  const TfHolding* holding = op.HoldingOf(0);
  if (holding == nullptr) {
    return {std::nullopt};
  }
  TfShapes shapes;
  for (const TfExtents& extents : holding->extents) {
    shapes.push_back(StaticShape(extents));
  }
  return shapes;
}

// queue, number of elements.
TfShapes ShapeHeldBatch(const TfOp& op) {
  TfShapes shapes = ShapesHeld(op);
  const std::vector<double>* count = op.ConstantOf(1);
  for (std::optional<Shape>& shape : shapes) {
    if (shape.has_value() && count != nullptr && count->size() == 1) {
      shape->insert(shape->begin(), WholeNumbers(*count)[0]);
      shape = StaticShape(shape);
    } else {
      shape.reset();
    }
  }
  return shapes;
}

TfShapes ShapeOfHeldRank(const TfOp& op) {
  const TfShapes held = ShapesHeld(op);
  if (held.empty() || !held[0].has_value()) {
    return {std::nullopt};
  }
  return {Shape{static_cast<std::int64_t>(held[0]->size())}};
}

TfShapes ShapeOfBroadcastArgs(const TfOp& op) {
  const TfElements shape = FoldBroadcastArgs(op);
  return {shape.has_value() ? std::optional(Shape{static_cast<std::int64_t>(shape->size())})
                            : std::nullopt};
}

TfShapes ShapesOfBroadcastGradientArgs(const TfOp& op) {
  TfShapes shapes;
  for (const TfElements& axes : FoldBroadcastGradientArgs(op)) {
    shapes.push_back(axes.has_value()
                         ? std::optional(Shape{static_cast<std::int64_t>(axes->size())})
                         : std::nullopt);
  }
  return shapes;
}

TfShapes ShapeOfPlaceholderWithDefault(const TfOp& op) {
  std::optional<Shape> given = StaticShape(op.attributes.Extents("shape"));
  return given.has_value() ? TfShapes{given} : ShapeOfFirst(op);
}

}  // namespace opyard::graphs
