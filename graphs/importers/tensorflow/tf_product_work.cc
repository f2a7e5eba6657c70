#include "graphs/importers/tensorflow/tf_product_work.h"

#include <algorithm>

#include "graphs/builder/op_kind.h"
#include "graphs/importers/tensorflow/tf_layout.h"
#include "graphs/importers/tensorflow/tf_shape_rules.h"

namespace opyard::graphs {
namespace {

using Arguments = std::span<const TfTensor* const>;

bool IsMatrixProduct(std::string_view type) {
  const TfShapeRule rule = FindTfShapeRule(type);
  return rule == ShapeOfMatMul || rule == ShapeOfBatchMatMul || type == "SparseTensorDenseMatMul";
}

bool IsFilterGradient(std::string_view type) {
  return type.starts_with("Conv2DBackpropFilter") || type.starts_with("Conv3DBackpropFilter") ||
         type == "DepthwiseConv2dNativeBackpropFilter";
}

bool IsConvolution(std::string_view type) {
  const TfShapeRule rule = FindTfShapeRule(type);
  return rule == ShapeOfConv || rule == ShapeOfDepthwiseConv || rule == ShapeOfConvInput ||
         IsFilterGradient(type);
}

const Shape* ShapeOf(Arguments arguments, std::size_t index, std::size_t rank) {
  const bool is_there = index < arguments.size() && arguments[index]->shape.has_value() &&
                        arguments[index]->shape->size() == rank;
  return is_there ? &*arguments[index]->shape : nullptr;
}

struct ConvArguments {
  sim::ConvPass pass = sim::ConvPass::kForward;
  const Shape* image = nullptr;
  const Shape* filter = nullptr;
  const Shape* result = nullptr;
};

// Conv2D(image, filter), …BackpropInput(sizes, filter, gradient), …BackpropFilter(image, sizes,
// gradient).
ConvArguments FindConvArguments(const TfNode& node, Arguments arguments, const Shape& output) {
  const std::size_t rank = output.size();
  if (FindTfShapeRule(node.type) == ShapeOfConvInput) {
    return {sim::ConvPass::kBackwardData,
            &output,
            ShapeOf(arguments, 1, rank),
            ShapeOf(arguments, 2, rank)};
  }
  if (IsFilterGradient(node.type)) {
    return {sim::ConvPass::kBackwardWeight,
            ShapeOf(arguments, 0, rank),
            &output,
            ShapeOf(arguments, 2, rank)};
  }
  return {
      sim::ConvPass::kForward, ShapeOf(arguments, 0, rank), ShapeOf(arguments, 1, rank), &output};
}

std::optional<OpWork> ConvWork(const TfNode& node, Arguments arguments) {
  if (node.outputs.empty() || !node.outputs[0].shape.has_value() ||
      node.outputs[0].shape->size() < 3) {
    return std::nullopt;
  }
  const Shape& output = *node.outputs[0].shape;
  const ConvArguments found = FindConvArguments(node, arguments, output);
  if (found.image == nullptr || found.filter == nullptr || found.result == nullptr) {
    return std::nullopt;
  }
  const TfLayout layout(node.attributes, output.size());
  const std::vector<std::int64_t> strides = layout.SpaceOf(node.attributes.Integers("strides"));
  const bool is_depthwise = node.type.find("Depthwise") != std::string::npos;
  std::optional<OpWork> work =
      ConvWorkFromShapes(found.pass,
                         {.image = layout.ChannelsFirst(*found.image),
                          .filter = is_depthwise ? TfDepthwiseFilterShape(*found.filter)
                                                 : TfFilterShape(*found.filter),
                          .result = layout.ChannelsFirst(*found.result),
                          .stride_h = strides.size() > 1 ? strides[strides.size() - 2] : 0,
                          .stride_w = strides.back()});
  const bool is_dilated = std::ranges::any_of(node.attributes.Integers("dilations"),
                                              [](std::int64_t dilation) { return dilation != 1; });
  if (work.has_value() && is_dilated) {
    work->work.reset();
  }
  return work;
}

// The extent that a product sums over: an axis of the first argument, or else of the second.
std::optional<std::int64_t> SummedExtent(const TfNode& node, Arguments arguments) {
  for (std::size_t side = 0; side < 2 && side < arguments.size(); ++side) {
    const std::optional<Shape>& shape = arguments[side]->shape;
    if (!shape.has_value() || shape->size() < 2) {
      continue;
    }
    const bool is_transposed =
        node.attributes.Bool(side == 0 ? "transpose_a" : "transpose_b", false) ||
        node.attributes.Bool(side == 0 ? "adj_x" : "adj_y", false);
    return is_transposed == (side == 0) ? (*shape)[shape->size() - 2] : shape->back();
  }
  return std::nullopt;
}

// Result [..., m, n].
std::optional<OpWork> MatrixWork(const TfNode& node, Arguments arguments) {
  const std::optional<std::int64_t> k = SummedExtent(node, arguments);
  if (!k.has_value() || node.outputs.empty() || !node.outputs[0].shape.has_value() ||
      node.outputs[0].shape->size() < 2) {
    return std::nullopt;
  }
  const Shape& result = *node.outputs[0].shape;
  const auto m = static_cast<double>(result[result.size() - 2]);
  const auto n = static_cast<double>(result.back());
  const double batch = m * n > 0.0 ? Elements(result) / (m * n) : 0.0;
  return GemmWork(m, n, static_cast<double>(*k), batch);
}

// Indices [elements, 2], elements, extents, a dense matrix.
std::optional<OpWork> SparseWork(Arguments arguments) {
  if (arguments.size() < 4 || !arguments[1]->shape.has_value() ||
      ShapeOf(arguments, 3, 2) == nullptr) {
    return std::nullopt;
  }
  const auto columns = static_cast<double>(arguments[3]->shape->back());
  return OpWork{.flops = Flops{2.0 * Elements(*arguments[1]->shape) * columns}};
}

// The FLOPs of BiasAdd, Relu and the others that fused_ops lists.
double FusedFlops(const TfNode& node) {
  double per_element = 0.0;
  for (const std::string_view type : node.attributes.Texts("fused_ops")) {
    const OpKind* kind = FindOpKind(type);
    per_element += kind == nullptr ? 1.0 : kind->flops;
  }
  return per_element * Elements(node.outputs[0].shape.value_or(Shape{0}));
}

}  // namespace

bool IsTfProduct(std::string_view type) {
  return IsMatrixProduct(type) || IsConvolution(type);
}

std::optional<OpWork> TfProductWork(const TfNode& node, Arguments arguments) {
  std::optional<OpWork> work = node.type == "SparseTensorDenseMatMul" ? SparseWork(arguments)
                               : IsMatrixProduct(node.type)           ? MatrixWork(node, arguments)
                                                                      : ConvWork(node, arguments);
  if (!work.has_value() || node.outputs.empty()) {
    return work;
  }
  if (IsComplex(node.outputs[0].dtype)) {
    work->flops.count *= 4.0;
  }
  return Plus(*work, FusedFlops(node));
}

}  // namespace opyard::graphs
