#include "graphs/importers/tensorflow/tf_work.h"

#include <algorithm>
#include <array>
#include <vector>

#include "graphs/builder/op_kind.h"
#include "graphs/importers/tensorflow/tf_einsum.h"

namespace opyard::graphs {
namespace {

using Arguments = std::span<const TfTensor* const>;
using Source = TfWork::Source;

struct Synonym {
  std::string_view type;
  std::string_view builder_type;
};
constexpr auto kSynonyms = std::to_array<Synonym>({
    {"Add", "AddV2"},
    {"AssignAddVariableOp", "AssignAdd"},
    {"AssignSubVariableOp", "AssignSub"},
    {"AssignVariableOp", "Assign"},
    {"BatchMatMul", "BatchMatMulV2"},
    {"BatchMatMulV3", "BatchMatMulV2"},
    {"Concat", "ConcatV2"},
    {"Div", "RealDiv"},
    {"DivNoNan", "RealDiv"},
    {"FusedBatchNorm", "FusedBatchNormV3"},
    {"FusedBatchNormGrad", "FusedBatchNormGradV3"},
    {"FusedBatchNormGradV2", "FusedBatchNormGradV3"},
    {"FusedBatchNormV2", "FusedBatchNormV3"},
    {"Gather", "GatherV2"},
    {"ResourceApplyAdam", "ApplyAdam"},
    {"ResourceApplyGradientDescent", "ApplyGradientDescent"},
    {"ResourceApplyKerasMomentum", "ApplyMomentum"},
    {"ResourceApplyMomentum", "ApplyMomentum"},
    {"ResourceApplyRMSProp", "ApplyRMSProp"},
    {"ResourceGather", "GatherV2"},
    {"Select", "SelectV2"},
    {"StridedSlice", "Slice"},
});
static_assert(std::ranges::is_sorted(kSynonyms, {}, &Synonym::type));

bool IsFloating(sim::DType dtype) {
  return dtype <= sim::DType::kF8;
}

bool HasShape(Arguments arguments, std::size_t index, std::size_t rank) {
  return index < arguments.size() && arguments[index]->shape.has_value() &&
         arguments[index]->shape->size() == rank;
}

// [batch, height, width, channels] as [batch, channels, height, width].
Shape ImageShape(const Shape& shape, const TfNode& node) {
  return node.attributes.is_channels_first ? shape : Shape{shape[0], shape[3], shape[1], shape[2]};
}

// [height, width, in, out] as [out, in, height, width]; a depthwise filter [h, w, channels, factor]
// has channels · factor filters of one channel.
Shape FilterShape(const Shape& shape, bool is_depthwise) {
  if (is_depthwise) {
    return {shape[2] * shape[3], 1, shape[0], shape[1]};
  }
  return {shape[3], shape[2], shape[0], shape[1]};
}

// The list's entries for height and width; 0 where it is not given.
std::pair<std::int64_t, std::int64_t> HeightAndWidth(const std::vector<std::int64_t>& list,
                                                     const TfNode& node) {
  if (list.size() != 4) {
    return {0, 0};
  }
  const std::size_t first = node.attributes.is_channels_first ? 2 : 1;
  return {list[first], list[first + 1]};
}

struct ConvArguments {
  sim::ConvPass pass;
  const Shape* image;
  const Shape* filter;
  const Shape* result;
};

// Conv2D(image, filter), …BackpropInput(sizes, filter, gradient), …BackpropFilter(image, sizes,
// gradient).
std::optional<ConvArguments> FindConvArguments(const TfNode& node, Arguments arguments) {
  if (node.outputs.empty() || !node.outputs[0].shape.has_value() ||
      node.outputs[0].shape->size() != 4) {
    return std::nullopt;
  }
  const Shape* output = &*node.outputs[0].shape;
  if (node.type.ends_with("BackpropInput")) {
    return HasShape(arguments, 1, 4) && HasShape(arguments, 2, 4)
               ? std::optional(ConvArguments{sim::ConvPass::kBackwardData,
                                             output,
                                             &*arguments[1]->shape,
                                             &*arguments[2]->shape})
               : std::nullopt;
  }
  if (node.type.ends_with("BackpropFilter")) {
    return HasShape(arguments, 0, 4) && HasShape(arguments, 2, 4)
               ? std::optional(ConvArguments{sim::ConvPass::kBackwardWeight,
                                             &*arguments[0]->shape,
                                             output,
                                             &*arguments[2]->shape})
               : std::nullopt;
  }
  return HasShape(arguments, 0, 4) && HasShape(arguments, 1, 4)
             ? std::optional(ConvArguments{
                   sim::ConvPass::kForward, &*arguments[0]->shape, &*arguments[1]->shape, output})
             : std::nullopt;
}

std::optional<OpWork> ConvWork(const TfNode& node, Arguments arguments) {
  const std::optional<ConvArguments> found = FindConvArguments(node, arguments);
  if (!found.has_value()) {
    return std::nullopt;
  }
  const auto [stride_h, stride_w] = HeightAndWidth(node.attributes.strides, node);
  std::optional<OpWork> work =
      ConvWorkFromShapes(found->pass,
                         {.image = ImageShape(*found->image, node),
                          .filter = FilterShape(*found->filter, node.type.starts_with("Depthwise")),
                          .result = ImageShape(*found->result, node),
                          .stride_h = stride_h,
                          .stride_w = stride_w});
  const bool is_dilated = std::ranges::any_of(node.attributes.dilations,
                                              [](std::int64_t dilation) { return dilation != 1; });
  if (work.has_value() && is_dilated) {
    work->work.reset();
  }
  return work;
}

// Result [..., m, n]; the first argument says k.
std::optional<OpWork> ProductWork(const TfNode& node, Arguments arguments) {
  if (arguments.empty() || node.outputs.empty() || !node.outputs[0].shape.has_value() ||
      node.outputs[0].shape->size() < 2 || !arguments[0]->shape.has_value() ||
      arguments[0]->shape->size() < 2) {
    return std::nullopt;
  }
  const Shape& result = *node.outputs[0].shape;
  const Shape& left = *arguments[0]->shape;
  const auto m = static_cast<double>(result[result.size() - 2]);
  const auto n = static_cast<double>(result.back());
  const std::int64_t k = node.attributes.transpose_a ? left[left.size() - 2] : left.back();
  const double batch = m * n > 0.0 ? Elements(result) / (m * n) : 0.0;
  return GemmWork(m, n, static_cast<double>(k), batch);
}

// FLOPs per element or window, by the table of the graph builder. Nothing if a shape is missing.
std::optional<Flops> FlopsByTable(const OpKind& kind, const TfNode& node, Arguments arguments) {
  const TfTensor& output = node.outputs[0];
  const bool needs_input =
      kind.flop_unit == FlopUnit::kInput || kind.flop_unit == FlopUnit::kWindowGrad;
  if (!output.shape.has_value() || arguments.empty() ||
      (needs_input && !arguments[0]->shape.has_value())) {
    return std::nullopt;
  }
  std::vector<Tensor> inputs(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    inputs[i].shape = arguments[i]->shape.value_or(Shape());
    inputs[i].dtype = arguments[i]->dtype;
  }
  Attributes attributes;
  const auto [height, width] = HeightAndWidth(node.attributes.window, node);
  attributes.window.height = std::clamp<std::int64_t>(height, 1, 1 << 20);
  attributes.window.width = std::clamp<std::int64_t>(width, 1, 1 << 20);
  return FlopsOf({kind, inputs, attributes}, {*output.shape, output.dtype});
}

std::optional<Bytes> TrafficOf(const OpKind& kind, const TfNode& node) {
  Bytes written;
  for (const TfTensor& output : node.outputs) {
    written += output.bytes;
  }
  switch (kind.traffic) {
    case Traffic::kAll:
      return std::nullopt;
    case Traffic::kMoved:
      return written + written;
    case Traffic::kMade:
      return written;
    case Traffic::kNone:
      break;
  }
  return Bytes{};
}

// Of two tensors; other forms have no rule.
TfWork EinsumWorkOf(const TfNode& node, Arguments arguments) {
  if (arguments.size() != 2) {
    return {.source = Source::kNoRule};
  }
  if (!arguments[0]->shape.has_value() || !arguments[1]->shape.has_value()) {
    return {.source = Source::kNoShapes};
  }
  const auto work =
      EinsumWork(node.attributes.equation, *arguments[0]->shape, *arguments[1]->shape);
  return work.has_value() ? TfWork{.work = *work} : TfWork{.source = Source::kNoRule};
}

TfWork WorkWithoutRule(const TfNode& node) {
  const bool is_elementwise = sim::FusionClassOfType(node.type) == sim::FusionClass::kElementwise;
  if (!is_elementwise || node.outputs.empty() || !node.outputs[0].shape.has_value()) {
    return {.source = Source::kNoRule};
  }
  const double elements =
      IsFloating(node.outputs[0].dtype) ? Elements(*node.outputs[0].shape) : 0.0;
  return {.work = {.flops = Flops{elements}}, .source = Source::kAssumed};
}

}  // namespace

std::string_view BuilderType(std::string_view type) {
  const auto found = std::ranges::lower_bound(kSynonyms, type, {}, &Synonym::type);
  return found != kSynonyms.end() && found->type == type ? found->builder_type : type;
}

TfWork TfWorkOf(const TfNode& node, Arguments arguments) {
  if (node.type == "Shape" || node.type == "ShapeN" || node.type == "Size" || node.type == "Rank") {
    return {.work = {.bytes_accessed = Bytes{}}};  // reads no element
  }
  if (node.type == "Einsum") {
    return EinsumWorkOf(node, arguments);
  }
  const OpKind* kind = FindOpKind(BuilderType(node.type));
  if (kind == nullptr) {
    return WorkWithoutRule(node);
  }
  TfWork result{.work = {.bytes_accessed = TrafficOf(*kind, node)}};
  if (kind->work != nullptr) {
    const bool is_product = node.type.find("MatMul") != std::string::npos;
    const std::optional<OpWork> work =
        is_product ? ProductWork(node, arguments) : ConvWork(node, arguments);
    return work.has_value() ? TfWork{.work = *work} : TfWork{.source = Source::kNoShapes};
  }
  if (kind->flops == 0.0 || node.outputs.empty() || !IsFloating(node.outputs[0].dtype)) {
    return result;  // integer arithmetic is not counted
  }
  const std::optional<Flops> flops = FlopsByTable(*kind, node, arguments);
  if (flops.has_value()) {
    result.work.flops = *flops;
  } else {
    result.source = Source::kNoShapes;
  }
  return result;
}

}  // namespace opyard::graphs
