#include <algorithm>
#include <array>

#include "graphs/builder/op_kind.h"
#include "graphs/builder/shape_inference.h"
#include "sim/base/check.h"
#include "sim/cost/shape_work.h"

namespace opyard::graphs {
namespace {

// Arithmetic per element: exp, log, a root and a division count 1, as in the table of the exporter
// (python/opyard/export/op_types.py). sigmoid: negate, exp, add, divide; its gradient
// g·y·(1 − y). Normalisation: mean 1, variance 3, normalise 2, scale and shift 2. Softmax: maximum,
// subtract, exp, sum, divide; cross-entropy adds logarithm, product, sum. The fused updates: as
// many as the primitive ones of optimizer_step.cc.
constexpr auto kOutput = FlopUnit::kOutput;
constexpr auto kInput = FlopUnit::kInput;
constexpr auto kWindow = FlopUnit::kWindow;
constexpr auto kWindowGrad = FlopUnit::kWindowGrad;
constexpr auto kWork = FlopUnit::kWork;
constexpr auto kAll = Traffic::kAll;
constexpr auto kMoved = Traffic::kMoved;
constexpr auto kMade = Traffic::kMade;
constexpr auto kNone = Traffic::kNone;
constexpr bool kInPlace = true;

// clang-format off
constexpr auto kKinds = std::to_array<OpKind>({
    {"AddN", InferAllEqual, 1, FlopUnit::kAddend, kAll},
    {"AddV2", InferBroadcast, 1, kOutput, kAll},
    {"ApplyAdam", InferUpdate, 12, kOutput, kAll, kInPlace},
    {"ApplyGradientDescent", InferUpdate, 2, kOutput, kAll, kInPlace},
    {"ApplyMomentum", InferUpdate, 4, kOutput, kAll, kInPlace},
    {"ApplyRMSProp", InferUpdate, 11, kOutput, kAll, kInPlace},
    {"ArgMax", InferArgMax, 1, kInput, kAll},
    {"Assign", InferUpdate, 0, kOutput, kMoved, kInPlace},
    {"AssignAdd", InferUpdate, 1, kOutput, kAll, kInPlace},
    {"AssignSub", InferUpdate, 1, kOutput, kAll, kInPlace},
    {"AvgPool", InferPool, 1, kWindow, kAll},
    {"AvgPoolGrad", InferToDims, 1, kWindowGrad, kAll},
    {"BatchMatMulV2", InferMatMul, 1, kWork, kAll, false, MatMulWork},
    {"BiasAdd", InferBiasAdd, 1, kOutput, kAll},
    {"BiasAddGrad", InferBiasAddGrad, 1, kInput, kAll},
    {"Cast", InferCast, 0, kOutput, kAll},
    {"ConcatV2", InferConcat, 0, kOutput, kAll},
    {"Const", InferGiven, 0, kOutput, kNone},
    {"Conv2D", InferConv, 1, kWork, kAll, false, ConvWork},
    {"Conv2DBackpropFilter", InferConvBackpropFilter, 1, kWork, kAll, false, ConvBackpropFilterWork},
    {"Conv2DBackpropInput", InferConvBackpropInput, 1, kWork, kAll, false, ConvBackpropInputWork},
    {"Cumsum", InferFirst, 1, kInput, kAll},
    {"DepthwiseConv2dNative", InferConv, 1, kWork, kAll, false, ConvWork},
    {"DepthwiseConv2dNativeBackpropFilter", InferConvBackpropFilter, 1, kWork, kAll, false, ConvBackpropFilterWork},
    {"DepthwiseConv2dNativeBackpropInput", InferConvBackpropInput, 1, kWork, kAll, false, ConvBackpropInputWork},
    {"Erf", InferFirst, 8, kOutput, kAll},
    {"Exp", InferFirst, 1, kOutput, kAll},
    {"ExpandDims", InferExpandDims, 0, kOutput, kNone, kInPlace},
    {"Floor", InferFirst, 1, kOutput, kAll},
    {"FusedBatchNormGradV3", InferNormGrad, 11, kInput, kAll},
    {"FusedBatchNormV3", InferBatchNorm, 8, kInput, kAll},
    {"GatherV2", InferGather, 0, kOutput, kMoved},
    {"Gelu", InferFirst, 8, kOutput, kAll},
    {"GeluGrad", InferAllEqual, 14, kOutput, kAll},
    {"GreaterEqual", InferComparison, 0, kOutput, kAll},
    {"Identity", InferFirst, 0, kOutput, kNone, kInPlace},
    {"L2Loss", InferScalar, 2, kInput, kAll},
    {"LayerNorm", InferLayerNorm, 8, kInput, kAll},
    {"LayerNormGrad", InferNormGrad, 11, kInput, kAll},
    {"LeakyRelu", InferFirst, 2, kOutput, kAll},
    {"LeakyReluGrad", InferAllEqual, 2, kOutput, kAll},
    {"Less", InferComparison, 0, kOutput, kAll},
    {"Log", InferFirst, 1, kOutput, kAll},
    {"MatMul", InferMatMul, 1, kWork, kAll, false, MatMulWork},
    {"MaxPool", InferPool, 1, kWindow, kAll},
    {"MaxPoolGrad", InferFirst, 1, kInput, kAll},
    {"Maximum", InferBroadcast, 1, kOutput, kAll},
    {"Mean", InferReduce, 1, kInput, kAll},
    {"Minimum", InferBroadcast, 1, kOutput, kAll},
    {"Mul", InferBroadcast, 1, kOutput, kAll},
    {"Neg", InferFirst, 1, kOutput, kAll},
    {"OneHot", InferOneHot, 0, kOutput, kAll},
    {"Pack", InferPack, 0, kOutput, kAll},
    {"Pad", InferPad, 0, kOutput, kAll},
    {"Placeholder", InferGiven, 0, kOutput, kNone},
    {"Pow", InferBroadcast, 1, kOutput, kAll},
    {"RandomUniform", InferGiven, 0, kOutput, kMade},
    {"RealDiv", InferBroadcast, 1, kOutput, kAll},
    {"Relu", InferFirst, 1, kOutput, kAll},
    {"Relu6", InferFirst, 2, kOutput, kAll},
    {"Relu6Grad", InferAllEqual, 2, kOutput, kAll},
    {"ReluGrad", InferAllEqual, 1, kOutput, kAll},
    {"Reshape", InferReshape, 0, kOutput, kNone, kInPlace},
    {"Rsqrt", InferFirst, 1, kOutput, kAll},
    {"RsqrtGrad", InferAllEqual, 4, kOutput, kAll},
    {"SelectV2", InferSelect, 0, kOutput, kAll},
    {"Sigmoid", InferFirst, 4, kOutput, kAll},
    {"SigmoidGrad", InferAllEqual, 3, kOutput, kAll},
    {"Slice", InferSlice, 0, kOutput, kMoved},
    {"Softmax", InferFirst, 5, kInput, kAll},
    {"SoftmaxCrossEntropyWithLogits", InferCrossEntropy, 8, kInput, kAll},
    {"SparseSoftmaxCrossEntropyWithLogits", InferSparseCrossEntropy, 8, kInput, kAll},
    {"Split", InferSplit, 0, kOutput, kAll},
    {"Sqrt", InferFirst, 1, kOutput, kAll},
    {"SqrtGrad", InferAllEqual, 2, kOutput, kAll},
    {"Square", InferFirst, 1, kOutput, kAll},
    {"SquaredDifference", InferBroadcast, 2, kOutput, kAll},
    {"Squeeze", InferSqueeze, 0, kOutput, kNone, kInPlace},
    {"StopGradient", InferFirst, 0, kOutput, kNone, kInPlace},
    {"Sub", InferBroadcast, 1, kOutput, kAll},
    {"Sum", InferReduce, 1, kInput, kAll},
    {"Tanh", InferFirst, 5, kOutput, kAll},
    {"TanhGrad", InferAllEqual, 3, kOutput, kAll},
    {"Tile", InferTile, 0, kOutput, kAll},
    {"Transpose", InferTranspose, 0, kOutput, kAll},
    {"Unpack", InferUnpack, 0, kOutput, kAll},
    {"UnsortedSegmentSum", InferSegmentSum, 1, kInput, kAll},
    {"Variable", InferGiven, 0, kOutput, kNone},
    {"ZerosLike", InferFirst, 0, kOutput, kMade},
});
// clang-format on
static_assert(std::ranges::is_sorted(kKinds, {}, &OpKind::type));

double Elements(const Shape& shape) {
  return static_cast<double>(NumElements(shape));
}

}  // namespace

std::span<const OpKind> OpKinds() {
  return kKinds;
}

const OpKind* FindOpKind(std::string_view type) {
  const auto found = std::ranges::lower_bound(kKinds, type, {}, &OpKind::type);
  return found != kKinds.end() && found->type == type ? &*found : nullptr;
}

const OpKind& GetOpKind(std::string_view type) {
  const OpKind* kind = FindOpKind(type);
  OPYARD_CHECK(kind != nullptr, "no kind of op is called " + std::string(type));
  return *kind;
}

Flops FlopsOf(const OpArguments& arguments, const TensorType& output) {
  const OpKind& kind = arguments.kind;
  const Window& window = arguments.attributes.window;
  const auto area = static_cast<double>(window.height * window.width);
  switch (kind.flop_unit) {
    case FlopUnit::kOutput:
      return Flops{kind.flops * Elements(output.shape)};
    case FlopUnit::kInput:
      return Flops{kind.flops * Elements(arguments.inputs[0].shape)};
    case FlopUnit::kAddend:
      return Flops{kind.flops * Elements(output.shape) *
                   static_cast<double>(arguments.inputs.size() - 1)};
    case FlopUnit::kWindow:
      return Flops{kind.flops * area * Elements(output.shape)};
    case FlopUnit::kWindowGrad:
      return Flops{kind.flops * area * Elements(arguments.inputs[0].shape)};
    case FlopUnit::kWork:
      break;
  }
  return std::visit(
      [&](const auto& shape) -> Flops {
        if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, sim::RnnShape>) {
          return {};
        } else {
          return {sim::FlopsOf(shape)};
        }
      },
      kind.work(arguments, output));
}

}  // namespace opyard::graphs
