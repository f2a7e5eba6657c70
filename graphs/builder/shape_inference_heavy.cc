#include "graphs/builder/shape_inference.h"

namespace opyard::graphs {
namespace {

struct MatrixExtents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

MatrixExtents ExtentsOf(const Shape& shape, bool is_transposed) {
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape[shape.size() - 1];
  return is_transposed ? MatrixExtents{columns, rows} : MatrixExtents{rows, columns};
}

bool HaveEqualBatches(const Shape& a, const Shape& b) {
  return a.size() == b.size() && a.size() >= 2 && std::equal(a.begin(), a.end() - 2, b.begin());
}

// The places of a window of `length` in `extent` elements.
std::int64_t Places(std::int64_t extent,
                    std::int64_t length,
                    std::int64_t stride,
                    std::int64_t pad,
                    std::int64_t dilation) {
  const std::int64_t span = dilation * (length - 1) + 1;
  return extent + 2 * pad < span ? 0 : (extent + 2 * pad - span) / stride + 1;
}

// The result of moving `filter` [filters, channels / groups, height, width] over `image`.
Shape ConvResult(const OpArguments& op, const Shape& image, const Shape& filter) {
  const Window& window = op.attributes.window;
  if (image.size() != 4 || filter.size() != 4 || image[1] != filter[1] * window.groups ||
      filter[0] % window.groups != 0) {
    RefuseShapes(op,
                 "an image [batch, channels, height, width] and a filter [filters, channels / " +
                     std::to_string(window.groups) + ", height, width]");
  }
  const std::int64_t height =
      Places(image[2], filter[2], window.stride_h, window.pad_h, window.dilation_h);
  const std::int64_t width =
      Places(image[3], filter[3], window.stride_w, window.pad_w, window.dilation_w);
  if (height < 1 || width < 1) {
    RefuseShapes(op, "a filter that fits into the padded image");
  }
  return {image[0], filter[0], height, width};
}

struct Side {
  std::int64_t extent;
  std::int64_t pad;
};

// Shape blocks know no dilation: a dilated filter counts as a dense one on an image that gives as
// many results.
Side UndilatedSide(std::int64_t extent,
                   std::int64_t length,
                   std::int64_t stride,
                   std::int64_t pad,
                   std::int64_t dilation) {
  if (dilation == 1) {
    return {extent, pad};
  }
  return {(Places(extent, length, stride, pad, dilation) - 1) * stride + length, 0};
}

sim::ConvShape ConvBlock(const OpArguments& op,
                         sim::ConvPass pass,
                         const Shape& image,
                         const Shape& filter) {
  const Window& window = op.attributes.window;
  const Side height =
      UndilatedSide(image[2], filter[2], window.stride_h, window.pad_h, window.dilation_h);
  const Side width =
      UndilatedSide(image[3], filter[3], window.stride_w, window.pad_w, window.dilation_w);
  return {.pass = pass,
          .n = image[0],
          .c = image[1],
          .h = height.extent,
          .w = width.extent,
          .k = filter[0],
          .r = filter[2],
          .s = filter[3],
          .pad_h = height.pad,
          .pad_w = width.pad,
          .stride_h = window.stride_h,
          .stride_w = window.stride_w,
          .groups = window.groups};
}

}  // namespace

TensorTypes InferMatMul(const OpArguments& op) {
  NeedInputs(op, 2);
  const Shape& a = op.inputs[0].shape;
  const Shape& b = op.inputs[1].shape;
  if (!HaveEqualBatches(a, b)) {
    RefuseShapes(op, "two matrices with equal leading extents");
  }
  const MatrixExtents left = ExtentsOf(a, op.attributes.transpose_a);
  const MatrixExtents right = ExtentsOf(b, op.attributes.transpose_b);
  if (left.columns != right.rows) {
    RefuseShapes(op,
                 "an inner extent in common, not " + std::to_string(left.columns) + " and " +
                     std::to_string(right.rows));
  }
  Shape shape = a;
  shape[shape.size() - 2] = left.rows;
  shape[shape.size() - 1] = right.columns;
  return {{shape, op.inputs[0].dtype}};
}

sim::WorkShape MatMulWork(const OpArguments& op, const TensorType& output) {
  const MatrixExtents left = ExtentsOf(op.inputs[0].shape, op.attributes.transpose_a);
  const MatrixExtents right = ExtentsOf(op.inputs[1].shape, op.attributes.transpose_b);
  return sim::GemmShape{.m = left.rows,
                        .n = right.columns,
                        .k = left.columns,
                        .batch = NumElements(output.shape) / (left.rows * right.columns)};
}

TensorTypes InferConv(const OpArguments& op) {
  NeedInputs(op, 2);
  return {{ConvResult(op, op.inputs[0].shape, op.inputs[1].shape), op.inputs[0].dtype}};
}

sim::WorkShape ConvWork(const OpArguments& op, const TensorType& /*output*/) {
  return ConvBlock(op, sim::ConvPass::kForward, op.inputs[0].shape, op.inputs[1].shape);
}

TensorTypes InferConvBackpropInput(const OpArguments& op) {
  NeedInputs(op, 2);
  if (ConvResult(op, op.attributes.dims, op.inputs[1].shape) != op.inputs[0].shape) {
    RefuseShapes(op, "the gradient of a convolution of " + ToText(op.attributes.dims));
  }
  return {{op.attributes.dims, op.inputs[0].dtype}};
}

sim::WorkShape ConvBackpropInputWork(const OpArguments& op, const TensorType& output) {
  return ConvBlock(op, sim::ConvPass::kBackwardData, output.shape, op.inputs[1].shape);
}

TensorTypes InferConvBackpropFilter(const OpArguments& op) {
  NeedInputs(op, 2);
  if (ConvResult(op, op.inputs[0].shape, op.attributes.dims) != op.inputs[1].shape) {
    RefuseShapes(op, "the gradient of a convolution with filter " + ToText(op.attributes.dims));
  }
  return {{op.attributes.dims, op.inputs[0].dtype}};
}

sim::WorkShape ConvBackpropFilterWork(const OpArguments& op, const TensorType& output) {
  return ConvBlock(op, sim::ConvPass::kBackwardWeight, op.inputs[0].shape, output.shape);
}

}  // namespace opyard::graphs
