#include <algorithm>

#include "graphs/builder/shape_inference.h"

namespace opyard::graphs {
namespace {

void NeedNormInputs(const OpArguments& op, std::int64_t channels) {
  NeedInputs(op, 3);
  if (op.inputs[1].shape != Shape{channels} || op.inputs[2].shape != Shape{channels}) {
    RefuseShapes(op, "scale and offset of shape " + ToText({channels}));
  }
}

}  // namespace

TensorTypes InferPool(const OpArguments& op) {
  NeedInputs(op, 1);
  const Shape& image = op.inputs[0].shape;
  const Window& window = op.attributes.window;
  if (image.size() != 4 || image[2] + 2 * window.pad_h < window.height ||
      image[3] + 2 * window.pad_w < window.width) {
    RefuseShapes(op,
                 "[batch, channels, height, width] that holds a window of " +
                     ToText({window.height, window.width}));
  }
  const std::int64_t height = (image[2] + 2 * window.pad_h - window.height) / window.stride_h + 1;
  const std::int64_t width = (image[3] + 2 * window.pad_w - window.width) / window.stride_w + 1;
  return {{{image[0], image[1], height, width}, op.inputs[0].dtype}};
}

TensorTypes InferReduce(const OpArguments& op) {
  NeedInputs(op, 1);
  const Shape& shape = op.inputs[0].shape;
  for (const std::int64_t axis : op.attributes.dims) {
    NeedAxis(op, axis, shape.size());
  }
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_reduced =
        std::ranges::count(op.attributes.dims, static_cast<std::int64_t>(i)) > 0;
    if (!is_reduced || op.attributes.keep_dims) {
      result.push_back(is_reduced ? 1 : shape[i]);
    }
  }
  return {{result, op.inputs[0].dtype}};
}

TensorTypes InferScalar(const OpArguments& op) {
  NeedInputs(op, 1);
  return {{{}, op.inputs[0].dtype}};
}

TensorTypes InferArgMax(const OpArguments& op) {
  NeedInputs(op, 1);
  NeedAxis(op, op.attributes.axis, op.inputs[0].shape.size());
  Shape shape = op.inputs[0].shape;
  shape.erase(shape.begin() + op.attributes.axis);
  return {{shape, sim::DType::kI32}};
}

TensorTypes InferSparseCrossEntropy(const OpArguments& op) {
  NeedInputs(op, 2);
  const Shape& logits = op.inputs[0].shape;
  if (logits.size() != 2 || op.inputs[1].shape != Shape{logits[0]}) {
    RefuseShapes(op, "logits [batch, classes] and labels [batch]");
  }
  return {{{logits[0]}, op.inputs[0].dtype}, {logits, op.inputs[0].dtype}};
}

TensorTypes InferCrossEntropy(const OpArguments& op) {
  NeedInputs(op, 2);
  const Shape& logits = op.inputs[0].shape;
  if (logits.size() != 2 || op.inputs[1].shape != logits) {
    RefuseShapes(op, "logits and probabilities [batch, classes]");
  }
  return {{{logits[0]}, op.inputs[0].dtype}, {logits, op.inputs[0].dtype}};
}

TensorTypes InferBatchNorm(const OpArguments& op) {
  const Shape& image = op.inputs[0].shape;
  if (image.size() != 4) {
    RefuseShapes(op, "[batch, channels, height, width]");
  }
  NeedNormInputs(op, image[1]);
  const TensorType channel{{image[1]}, op.inputs[0].dtype};
  return {{image, op.inputs[0].dtype}, channel, channel};
}

TensorTypes InferLayerNorm(const OpArguments& op) {
  const Shape& shape = op.inputs[0].shape;
  if (shape.empty()) {
    RefuseShapes(op, "at least one extent");
  }
  NeedNormInputs(op, shape.back());
  const TensorType row{{NumElements(shape) / shape.back()}, op.inputs[0].dtype};
  return {{shape, op.inputs[0].dtype}, row, row};
}

TensorTypes InferNormGrad(const OpArguments& op) {
  NeedInputs(op, 5);
  if (op.inputs[0].shape != op.inputs[1].shape) {
    RefuseShapes(op, "a gradient of the shape of the input");
  }
  const TensorType scale{op.inputs[2].shape, op.inputs[2].dtype};
  return {{op.inputs[1].shape, op.inputs[1].dtype}, scale, scale};
}

}  // namespace opyard::graphs
