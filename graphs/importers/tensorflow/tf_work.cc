#include "graphs/importers/tensorflow/tf_work.h"

#include <algorithm>
#include <array>
#include <vector>

#include "graphs/builder/op_kind.h"
#include "graphs/importers/tensorflow/tf_einsum.h"
#include "graphs/importers/tensorflow/tf_layout.h"
#include "graphs/importers/tensorflow/tf_product_work.h"
#include "graphs/importers/tensorflow/tf_recurrent_work.h"

namespace opyard::graphs {
namespace {

using Arguments = std::span<const TfTensor* const>;
using Source = TfWork::Source;

struct Synonym {
  std::string_view type;
  std::string_view builder_type;
};
constexpr auto kSynonyms = std::to_array<Synonym>({
    {"Abs", "Neg"},
    {"Add", "AddV2"},
    {"All", "Sum"},
    {"Any", "Sum"},
    {"ArgMin", "ArgMax"},
    {"AssignAddVariableOp", "AssignAdd"},
    {"AssignSubVariableOp", "AssignSub"},
    {"AssignVariableOp", "Assign"},
    {"AvgPool3D", "AvgPool"},
    {"AvgPool3DGrad", "AvgPoolGrad"},
    {"BatchMatMul", "BatchMatMulV2"},
    {"BatchMatMulV3", "BatchMatMulV2"},
    {"BatchToSpaceND", "Transpose"},
    {"BiasAddV1", "BiasAdd"},
    {"BroadcastTo", "Tile"},
    {"Ceil", "Floor"},
    {"Concat", "ConcatV2"},
    {"ConjugateTranspose", "Transpose"},
    {"DepthToSpace", "Transpose"},
    {"Div", "RealDiv"},
    {"DivNoNan", "RealDiv"},
    {"Empty", "ZerosLike"},
    {"Equal", "Less"},
    {"Erfc", "Erf"},
    {"EuclideanNorm", "Sum"},
    {"Fill", "ZerosLike"},
    {"FloorDiv", "RealDiv"},
    {"FusedBatchNorm", "FusedBatchNormV3"},
    {"FusedBatchNormGrad", "FusedBatchNormGradV3"},
    {"FusedBatchNormGradV2", "FusedBatchNormGradV3"},
    {"FusedBatchNormV2", "FusedBatchNormV3"},
    {"Gather", "GatherV2"},
    {"GatherNd", "GatherV2"},
    {"Greater", "Less"},
    {"LessEqual", "Less"},
    {"LinSpace", "ZerosLike"},
    {"LogSoftmax", "Softmax"},
    {"LogicalAnd", "Less"},
    {"LogicalOr", "Less"},
    {"Max", "Sum"},
    {"MaxPool3D", "MaxPool"},
    {"MaxPool3DGrad", "MaxPoolGrad"},
    {"MaxPoolGradV2", "MaxPoolGrad"},
    {"MaxPoolV2", "MaxPool"},
    {"MaxPoolWithArgmax", "MaxPool"},
    {"Min", "Sum"},
    {"MirrorPad", "Pad"},
    {"NotEqual", "Less"},
    {"OnesLike", "ZerosLike"},
    {"PadV2", "Pad"},
    {"Prod", "Sum"},
    {"RandomStandardNormal", "RandomUniform"},
    {"RandomUniformInt", "RandomUniform"},
    {"Range", "ZerosLike"},
    {"ReadVariableOp", "Identity"},
    {"Reciprocal", "RealDiv"},
    {"ResourceApplyAdam", "ApplyAdam"},
    {"ResourceApplyGradientDescent", "ApplyGradientDescent"},
    {"ResourceApplyKerasMomentum", "ApplyMomentum"},
    {"ResourceApplyMomentum", "ApplyMomentum"},
    {"ResourceApplyRMSProp", "ApplyRMSProp"},
    {"ResourceGather", "GatherV2"},
    {"ResourceGatherNd", "GatherV2"},
    {"Reverse", "Transpose"},
    {"ReverseV2", "Transpose"},
    {"Rint", "Floor"},
    {"Roll", "Transpose"},
    {"Round", "Floor"},
    {"Select", "SelectV2"},
    {"Sign", "Neg"},
    {"SpaceToBatchND", "Transpose"},
    {"SpaceToDepth", "Transpose"},
    {"SplitV", "Split"},
    {"StatelessRandomNormal", "RandomUniform"},
    {"StatelessRandomNormalV2", "RandomUniform"},
    {"StatelessRandomUniform", "RandomUniform"},
    {"StatelessRandomUniformV2", "RandomUniform"},
    {"StatelessTruncatedNormal", "RandomUniform"},
    {"StatelessTruncatedNormalV2", "RandomUniform"},
    {"StridedSlice", "Slice"},
    {"TruncatedNormal", "RandomUniform"},
    {"UnsortedSegmentMax", "UnsortedSegmentSum"},
    {"Xdivy", "RealDiv"},
    {"_FusedBatchNormEx", "FusedBatchNormV3"},
});
static_assert(std::ranges::is_sorted(kSynonyms, {}, &Synonym::type));

// Complex numbers included.
bool IsFloatingOrComplex(sim::DType dtype) {
  return dtype <= sim::DType::kF8 || dtype == sim::DType::kF4 || IsComplex(dtype);
}

// For complex numbers, a sum is two and a product six operations on real ones.
double OperationsPer(const TfNode& node) {
  if (!IsComplex(node.outputs[0].dtype)) {
    return 1.0;
  }
  return node.type == "Mul" ? 6.0 : 2.0;
}

// The elements of a pooling window in all dimensions of space.
std::int64_t WindowSize(const TfNode& node, std::size_t rank) {
  constexpr std::int64_t kMost = 1 << 20;
  if (rank < 3) {
    return 1;
  }
  std::int64_t size = 1;
  for (const std::int64_t extent :
       TfLayout(node.attributes, rank).SpaceOf(node.attributes.Integers("ksize"))) {
    size = std::min(size * std::clamp<std::int64_t>(extent, 1, kMost), kMost);
  }
  return size;
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
  attributes.window.height = WindowSize(node, output.shape->size());
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

TfWork EinsumWorkOf(const TfNode& node, Arguments arguments) {
  std::vector<Shape> shapes;
  for (const TfTensor* argument : arguments) {
    if (!argument->shape.has_value()) {
      return {.source = Source::kNoShapes};
    }
    shapes.push_back(*argument->shape);
  }
  const auto sum = ParseEinsum(node.attributes.Text("equation"), shapes);
  return sum.has_value() ? TfWork{.work = sum->work} : TfWork{.source = Source::kNoRule};
}

TfWork HeavyWorkOf(const TfNode& node, Arguments arguments) {
  if (node.type.ends_with("Einsum")) {
    return EinsumWorkOf(node, arguments);
  }
  const std::optional<OpWork> work =
      IsTfRecurrent(node.type) ? TfRecurrentWork(node, arguments) : TfProductWork(node, arguments);
  return work.has_value() ? TfWork{.work = *work} : TfWork{.source = Source::kNoShapes};
}

// Control flow of TensorFlow 1 hands tensors on.
bool IsForwarded(std::string_view type) {
  return type.ends_with("Enter") || type.ends_with("Exit") || type.ends_with("Merge") ||
         type.ends_with("Switch") || type.ends_with("NextIteration") || type == "LoopCond";
}

// An element is read and written; the handle has no size.
Bytes TrafficOfList(const TfNode& node, Arguments arguments) {
  Bytes moved;
  for (const TfTensor* argument : arguments) {
    moved += argument->bytes;
  }
  for (const TfTensor& output : node.outputs) {
    moved += output.bytes;
  }
  return moved + moved;
}

TfWork WorkWithoutRule(const TfNode& node) {
  const bool is_elementwise = sim::FusionClassOfType(node.type) == sim::FusionClass::kElementwise;
  if (!is_elementwise || node.outputs.empty() || !node.outputs[0].shape.has_value()) {
    return {.source = Source::kNoRule};
  }
  if (!IsFloatingOrComplex(node.outputs[0].dtype)) {
    return {};  // integer arithmetic is not counted
  }
  const double elements = Elements(*node.outputs[0].shape);
  return {.work = {.flops = Flops{elements * OperationsPer(node)}}, .source = Source::kAssumed};
}

bool ReadsShapeOnly(std::string_view type) {
  return type == "Shape" || type == "ShapeN" || type == "Size" || type == "Rank";
}

}  // namespace

std::string_view BuilderType(std::string_view type) {
  const auto found = std::ranges::lower_bound(kSynonyms, type, {}, &Synonym::type);
  return found != kSynonyms.end() && found->type == type ? found->builder_type : type;
}

bool IsTfHeavy(std::string_view type) {
  return type.ends_with("Einsum") || IsTfRecurrent(type) || IsTfProduct(type);
}

TfWork TfWorkOf(const TfNode& node, Arguments arguments) {
  if (ReadsShapeOnly(node.type) || IsForwarded(node.type)) {
    return {.work = {.bytes_accessed = Bytes{}}};
  }
  if (node.type.starts_with("TensorList") || node.type.starts_with("TensorArray")) {
    return {.work = {.bytes_accessed = TrafficOfList(node, arguments)}};
  }
  if (IsTfHeavy(node.type)) {
    return HeavyWorkOf(node, arguments);
  }
  if (BuilderType(node.type) == "AvgPoolGrad" && arguments.size() == 2) {
    arguments = arguments.subspan(1);  // the first is the shape of the result
  }
  const OpKind* kind = FindOpKind(BuilderType(node.type));
  if (kind == nullptr) {
    return WorkWithoutRule(node);
  }
  TfWork result{.work = {.bytes_accessed = TrafficOf(*kind, node)}};
  if (kind->flops == 0.0 || node.outputs.empty() || !IsFloatingOrComplex(node.outputs[0].dtype)) {
    return result;  // integer arithmetic is not counted
  }
  const std::optional<Flops> flops = FlopsByTable(*kind, node, arguments);
  if (flops.has_value()) {
    result.work.flops = Flops{flops->count * OperationsPer(node)};
  } else {
    result.source = Source::kNoShapes;
  }
  return result;
}

}  // namespace opyard::graphs
