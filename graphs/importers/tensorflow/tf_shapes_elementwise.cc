#include "graphs/importers/tensorflow/tf_shape_rules.h"

namespace opyard::graphs {
namespace {

std::optional<Shape> Copy(const Shape* shape) {
  return shape == nullptr ? std::nullopt : std::optional(*shape);
}

}  // namespace

TfShapes ShapeOfFirst(const TfOp& op) {
  return {Copy(op.ShapeOf(0))};
}

TfShapes ShapeOfSecond(const TfOp& op) {
  return {Copy(op.ShapeOf(1))};
}

TfShapes ShapeOfLast(const TfOp& op) {
  return {op.inputs.empty() ? std::nullopt : op.inputs.back()->shape};
}

TfShapes ShapeOfAny(const TfOp& op) {
  for (const TfValue* input : op.inputs) {
    if (input->shape.has_value()) {
      return {input->shape};
    }
  }
  return {std::nullopt};
}

// The tensor that came, and which input it was.
TfShapes ShapesOfMerge(const TfOp& op) {
  return {ShapeOfAny(op)[0], Shape()};
}

TfShapes ShapesOfEach(const TfOp& op) {
  TfShapes shapes;
  for (const TfValue* input : op.inputs) {
    shapes.push_back(input->shape);
  }
  return shapes;
}

TfShapes ShapeOfFirstTwice(const TfOp& op) {
  return {Copy(op.ShapeOf(0)), Copy(op.ShapeOf(0))};
}

TfShapes ShapeOfBroadcast(const TfOp& op) {
  std::optional<Shape> result = Copy(op.ShapeOf(0));
  for (std::size_t i = 1; i < op.inputs.size() && result.has_value(); ++i) {
    const Shape* other = op.ShapeOf(i);
    result = other == nullptr ? std::nullopt : BroadcastShape(*result, *other);
  }
  return {result};
}

TfShapes ShapeOfQuantized(const TfOp& op) {
  return {Copy(op.ShapeOf(0)), Shape(), Shape()};
}

TfShapes ShapeOfQuantizedPair(const TfOp& op) {
  const Shape* left = op.ShapeOf(0);
  const Shape* right = op.ShapeOf(1);
  const bool is_known = left != nullptr && right != nullptr;
  return {is_known ? BroadcastShape(*left, *right) : std::nullopt, Shape(), Shape()};
}

TfShapes ShapeOfScalar(const TfOp& /*op*/) {
  return {Shape()};
}

}  // namespace opyard::graphs
