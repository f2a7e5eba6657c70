// Reductions, normalisation, losses.
#include <algorithm>

#include "graphs/importers/tensorflow/tf_layout.h"
#include "graphs/importers/tensorflow/tf_shape_rules.h"

namespace opyard::graphs {
namespace {

// `shape` without the marked axes, or with extent 1 there.
Shape Without(const Shape& shape, const std::vector<bool>& goes, bool keep_dims) {
  Shape rest;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!goes[i]) {
      rest.push_back(shape[i]);
    } else if (keep_dims) {
      rest.push_back(1);
    }
  }
  return rest;
}

}  // namespace

// tensor, axes.
TfShapes ShapeOfReduction(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const bool keep_dims = op.attributes.Bool("keep_dims", op.attributes.Bool("keepdims", false));
  const std::vector<double>* axes = op.ConstantOf(1);
  if (from == nullptr || axes == nullptr) {
    return {std::nullopt};
  }
  std::vector<bool> goes(from->size(), false);
  for (const std::int64_t entry : WholeNumbers(*axes)) {
    const auto axis = FindAxis(entry, from->size());
    if (!axis.has_value()) {
      return {std::nullopt};
    }
    goes[*axis] = true;
  }
  return {Without(*from, goes, keep_dims)};
}

// tensor, one axis.
TfShapes ShapeOfArgMax(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const std::vector<double>* at = op.ConstantOf(1);
  const auto axis = from != nullptr && at != nullptr && at->size() == 1
                        ? FindAxis(WholeNumbers(*at)[0], from->size())
                        : std::nullopt;
  if (!axis.has_value()) {
    return {std::nullopt};
  }
  std::vector<bool> goes(from->size(), false);
  goes[*axis] = true;
  return {Without(*from, goes, false)};
}

// tensor, number; TopK has it as an attribute.
TfShapes ShapesOfTopK(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  const std::vector<double>* count = op.ConstantOf(1);
  const std::int64_t k = count != nullptr && count->size() == 1 ? WholeNumbers(*count)[0]
                                                                : op.attributes.Integer("k", -1);
  if (from == nullptr || from->empty() || k < 0) {
    return {std::nullopt, std::nullopt};
  }
  Shape shape = *from;
  shape.back() = std::min(shape.back(), k);
  return {shape, shape};
}

TfShapes ShapeOfBiasAddGrad(const TfOp& op) {
  const Shape* from = op.ShapeOf(0);
  if (from == nullptr || from->size() < 2) {
    return {std::nullopt};
  }
  return {Shape{(*from)[TfLayout(op.attributes, from->size()).channels()]}};
}

// logits [batch, classes], labels: the loss of each, and the gradient.
TfShapes ShapesOfCrossEntropy(const TfOp& op) {
  const Shape* logits = op.ShapeOf(0);
  if (logits == nullptr || logits->empty()) {
    return {std::nullopt, std::nullopt};
  }
  return {Shape{logits->front()}, *logits};
}

// image, scale [channels], …: the image, statistics [channels], and one element for cuDNN's use.
TfShapes ShapesOfBatchNorm(const TfOp& op) {
  const Shape* image = op.ShapeOf(0);
  const Shape* scale = op.ShapeOf(1);
  TfShapes shapes(6);
  if (image != nullptr) {
    shapes[0] = *image;
  }
  for (std::size_t i = 1; i < 5 && scale != nullptr; ++i) {
    shapes[i] = *scale;
  }
  const bool has_last = op.type.ends_with("V3") || op.type.ends_with("Ex");
  shapes[5] = Shape{0};
  shapes.resize(has_last ? 6 : 5);
  return shapes;
}

// gradient, image, scale [channels], …
TfShapes ShapesOfBatchNormGrad(const TfOp& op) {
  const Shape* image = op.ShapeOf(1);
  const Shape* scale = op.ShapeOf(2);
  TfShapes shapes(5, Shape{0});
  shapes[0] = image == nullptr ? std::nullopt : std::optional(*image);
  for (std::size_t i = 1; i < 3; ++i) {
    shapes[i] = scale == nullptr ? std::nullopt : std::optional(*scale);
  }
  return shapes;
}

// values, segments of the first axes, number of segments.
TfShapes ShapeOfSegmentSum(const TfOp& op) {
  const Shape* values = op.ShapeOf(0);
  const Shape* segments = op.ShapeOf(1);
  const std::vector<double>* count = op.ConstantOf(2);
  if (values == nullptr || segments == nullptr || count == nullptr || count->size() != 1 ||
      segments->size() > values->size()) {
    return {std::nullopt};
  }
  Shape shape{WholeNumbers(*count)[0]};
  shape.insert(
      shape.end(), values->begin() + static_cast<std::ptrdiff_t>(segments->size()), values->end());
  return {StaticShape(shape)};
}

TfShapes ShapeOfRows(const TfOp& op) {
  const Shape* first = op.ShapeOf(0);
  if (first == nullptr || first->empty()) {
    return {std::nullopt};
  }
  return {Shape{first->front()}};
}

}  // namespace opyard::graphs
