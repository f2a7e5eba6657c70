// The typed calls of GraphBuilder. Constant operands stand where TensorFlow's ops take them.
#include <numeric>

#include "graphs/builder/graph_builder.h"

namespace opyard::graphs {
namespace {

// A one-dimensional operand with an element per axis.
Shape ExtentsOperand(std::size_t rank) {
  return {static_cast<std::int64_t>(rank)};
}

ConstOperand ScalarOperand(std::string_view name, sim::DType dtype) {
  return {.name = name, .shape = {}, .dtype = dtype, .is_argument = true};
}

OpDraft ReduceDraft(std::string_view type, const Tensor& x, const Shape& axes) {
  return {.type = type,
          .inputs = {x},
          .attributes = {.dims = axes},
          .operands = {{.name = "reduction_indices", .shape = ExtentsOperand(axes.size())}}};
}

}  // namespace

Tensor GraphBuilder::Placeholder(std::string_view name, const Shape& shape, sim::DType dtype) {
  return output(
      Append({.type = "Placeholder", .attributes = {.dims = shape, .dtype = dtype}, .name = name}));
}

Tensor GraphBuilder::Constant(std::string_view name, const Shape& shape, sim::DType dtype) {
  return output(
      Append({.type = "Const", .attributes = {.dims = shape, .dtype = dtype}, .name = name}));
}

Tensor GraphBuilder::RandomUniform(const Shape& shape) {
  return output(Append({.type = "RandomUniform",
                        .attributes = {.dims = shape},
                        .operands = {{.name = "shape", .shape = ExtentsOperand(shape.size())}}}));
}

Tensor GraphBuilder::Unary(std::string_view type, const Tensor& x) {
  return output(Append({.type = type, .inputs = {x}}));
}

Tensor GraphBuilder::Binary(std::string_view type, const Tensor& a, const Tensor& b) {
  return output(Append({.type = type, .inputs = {a, b}}));
}

Tensor GraphBuilder::WithScalar(std::string_view type, const Tensor& x, std::string_view scalar) {
  return output(
      Append({.type = type, .inputs = {x}, .operands = {ScalarOperand(scalar, x.dtype)}}));
}

Tensor GraphBuilder::AddN(const std::vector<Tensor>& terms) {
  return terms.size() == 1 ? terms[0] : output(Append({.type = "AddN", .inputs = terms}));
}

Tensor GraphBuilder::Cast(const Tensor& x, sim::DType dtype) {
  return output(Append({.type = "Cast", .inputs = {x}, .attributes = {.dtype = dtype}}));
}

Tensor GraphBuilder::Select(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return output(Append({.type = "SelectV2", .inputs = {condition, a, b}}));
}

Tensor GraphBuilder::SelectOrZero(const Tensor& condition, const Tensor& a) {
  return output(Append({.type = "SelectV2",
                        .inputs = {condition, a},
                        .operands = {ScalarOperand("zeros", a.dtype)}}));
}

Tensor GraphBuilder::SelectZeroOr(const Tensor& condition, const Tensor& b) {
  const Tensor zero = Constant("zeros", {}, b.dtype);
  Tensor selected = Select(condition, zero, b);
  Colocate(zero.op, selected.op);
  return selected;
}

Tensor GraphBuilder::BiasAdd(const Tensor& x, const Tensor& bias, std::int64_t axis) {
  return output(Append({.type = "BiasAdd", .inputs = {x, bias}, .attributes = {.axis = axis}}));
}

Tensor GraphBuilder::Dropout(const Tensor& x) {
  const Scope scope(*this, "dropout");
  const Tensor is_kept = WithScalar("GreaterEqual", RandomUniform(x.shape), "rate");
  const Tensor scaled = WithScalar("Mul", x, "scale");
  return Mul(scaled, Cast(is_kept, x.dtype));
}

Tensor GraphBuilder::MatMul(const Tensor& a, const Tensor& b, Transposed transposed) {
  return output(Append({.type = a.shape.size() > 2 ? "BatchMatMulV2" : "MatMul",
                        .inputs = {a, b},
                        .attributes = {.transpose_a = transposed == Transposed::kFirst,
                                       .transpose_b = transposed == Transposed::kSecond}}));
}

Tensor GraphBuilder::Conv(const Tensor& image, const Tensor& filter, const Window& window) {
  const bool is_depthwise =
      window.groups > 1 && image.shape.size() == 4 && window.groups == image.shape[1];
  return output(Append({.type = is_depthwise ? "DepthwiseConv2dNative" : "Conv2D",
                        .inputs = {image, filter},
                        .attributes = {.window = window}}));
}

Tensor GraphBuilder::ConvTranspose(const Tensor& x,
                                   const Tensor& filter,
                                   const Window& window,
                                   const Shape& image) {
  return output(Append({.type = "Conv2DBackpropInput",
                        .inputs = {x, filter},
                        .attributes = {.dims = image, .window = window},
                        .operands = {{.name = "input_sizes", .shape = {4}}}}));
}

Tensor GraphBuilder::Pool(std::string_view type, const Tensor& image, const Window& window) {
  return output(Append({.type = type, .inputs = {image}, .attributes = {.window = window}}));
}

Tensor GraphBuilder::Reduce(std::string_view type, const Tensor& x, const Shape& axes) {
  return output(Append(ReduceDraft(type, x, axes)));
}

Tensor GraphBuilder::ReduceKeeping(std::string_view type, const Tensor& x, const Shape& axes) {
  OpDraft draft = ReduceDraft(type, x, axes);
  draft.attributes.keep_dims = true;
  return output(Append(draft));
}

Tensor GraphBuilder::ArgMax(const Tensor& x, std::int64_t axis) {
  return output(Append({.type = "ArgMax",
                        .inputs = {x},
                        .attributes = {.axis = axis},
                        .operands = {{.name = "dimension"}}}));
}

Tensor GraphBuilder::CrossEntropy(const Tensor& logits, const Tensor& labels) {
  const bool is_sparse = labels.shape.size() == 1;
  return output(Append(
      {.type = is_sparse ? "SparseSoftmaxCrossEntropyWithLogits" : "SoftmaxCrossEntropyWithLogits",
       .inputs = {logits, labels}}));
}

Tensor GraphBuilder::Reshape(const Tensor& x, const Shape& shape) {
  return output(Append({.type = "Reshape",
                        .inputs = {x},
                        .attributes = {.dims = shape},
                        .operands = {{.name = "shape", .shape = ExtentsOperand(shape.size())}}}));
}

Tensor GraphBuilder::ExpandDims(const Tensor& x, std::int64_t axis) {
  return output(Append({.type = "ExpandDims",
                        .inputs = {x},
                        .attributes = {.axis = axis},
                        .operands = {{.name = "dim"}}}));
}

Tensor GraphBuilder::Squeeze(const Tensor& x, const Shape& axes) {
  return output(Append({.type = "Squeeze", .inputs = {x}, .attributes = {.dims = axes}}));
}

Tensor GraphBuilder::Transpose(const Tensor& x, const Shape& permutation) {
  return output(Append({.type = "Transpose",
                        .inputs = {x},
                        .attributes = {.dims = permutation},
                        .operands = {{.name = "perm", .shape = ExtentsOperand(x.shape.size())}}}));
}

Tensor GraphBuilder::Concat(const std::vector<Tensor>& parts, std::int64_t axis) {
  return output(Append({.type = "ConcatV2",
                        .inputs = parts,
                        .attributes = {.axis = axis},
                        .operands = {{.name = "axis"}}}));
}

std::vector<Tensor> GraphBuilder::Split(const Tensor& x, std::int64_t count, std::int64_t axis) {
  return outputs(Append({.type = "Split",
                         .inputs = {x},
                         .attributes = {.axis = axis, .count = count},
                         .operands = {{.name = "split_dim"}}}));
}

Tensor GraphBuilder::Slice(const Tensor& x, const Shape& begin, const Shape& size) {
  return output(Append({.type = "Slice",
                        .inputs = {x},
                        .attributes = {.dims = size, .begin = begin},
                        .operands = {{.name = "begin", .shape = ExtentsOperand(begin.size())},
                                     {.name = "size", .shape = ExtentsOperand(size.size())}}}));
}

Tensor GraphBuilder::Pad(const Tensor& x, const Shape& before, const Shape& after) {
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  return output(Append({.type = "Pad",
                        .inputs = {x},
                        .attributes = {.dims = after, .begin = before},
                        .operands = {{.name = "paddings", .shape = {rank, 2}}}}));
}

Tensor GraphBuilder::Pack(const std::vector<Tensor>& parts, std::int64_t axis) {
  return output(Append({.type = "Pack", .inputs = parts, .attributes = {.axis = axis}}));
}

std::vector<Tensor> GraphBuilder::Unpack(const Tensor& x, std::int64_t axis) {
  return outputs(Append({.type = "Unpack", .inputs = {x}, .attributes = {.axis = axis}}));
}

Tensor GraphBuilder::Tile(const Tensor& x, const Shape& shape) {
  return output(
      Append({.type = "Tile",
              .inputs = {x},
              .attributes = {.dims = shape},
              .operands = {{.name = "multiples", .shape = ExtentsOperand(shape.size())}}}));
}

Tensor GraphBuilder::Gather(const Tensor& table, const Tensor& indices) {
  return output(
      Append({.type = "GatherV2", .inputs = {table, indices}, .operands = {{.name = "axis"}}}));
}

Tensor GraphBuilder::OneHot(const Tensor& indices, std::int64_t depth) {
  return output(Append({.type = "OneHot",
                        .inputs = {indices},
                        .attributes = {.count = depth},
                        .operands = {{.name = "depth"},
                                     {.name = "on_value", .dtype = sim::DType::kF32},
                                     {.name = "off_value", .dtype = sim::DType::kF32}}}));
}

}  // namespace opyard::graphs
