// The names of enumerators in files, and the one table of what each op type can do in a fused
// kernel.
#include <algorithm>
#include <array>
#include <span>

#include "sim/graph/op.h"

namespace opyard::sim {
namespace {

using Name = std::string_view;

// Indexed by the enumerator.
constexpr std::array<Name, 4> kPhaseNames = {"unknown", "forward", "backward", "update"};
constexpr std::array<Name, 2> kMeasuredNames = {"with_launch", "kernel"};
constexpr std::array<Name, kNumFusionClasses> kFusionClassNames = {
    "elementwise", "broadcast", "reduction", "reshape", "heavy", "opaque"};
constexpr std::array<Name, kNumDTypes> kDTypeNames = {"f64",
                                                      "f32",
                                                      "tf32",
                                                      "f16",
                                                      "bf16",
                                                      "f8",
                                                      "f4",
                                                      "c128",
                                                      "c64",
                                                      "i64",
                                                      "i32",
                                                      "i16",
                                                      "i8",
                                                      "i4",
                                                      "i2",
                                                      "u8",
                                                      "bool",
                                                      "other"};
constexpr std::array<Name, kNumDeviceKinds> kDeviceKindNames = {"gpu", "cpu", "tpu", "other"};

template <class Enum>
std::optional<Enum> Find(std::span<const Name> names, Name name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    return std::nullopt;
  }
  return static_cast<Enum>(found - names.begin());
}

// Op types by fusion class, each list sorted by byte value. The spellings are those of TensorFlow,
// PyTorch modules, ONNX (all in CamelCase) and of XLA's HLO (lower case); a type that stands
// nowhere is opaque. Fused ops by class:
//   `kElementwise` computes each result element from the elements at the same place;
//   `kBroadcast` repeats what it reads, or makes it from nothing;
//   `kReduction` reads many elements for one result;
//   `kReshape` moves elements without computing;
//   `kHeavy` is a kernel that others can follow, never precede (matrix products, convolutions).
// Pooling, gathers and scatters in tables, random numbers and recurrent layers are library kernels
// of their own: opaque.
// clang-format off
constexpr auto kElementwise = std::to_array<Name>({
    "Abs", "Accumulate", "Add", "AddGrad", "AddN", "AddV2", "Addcdiv", "Addcmul", "And",
    "ApplyAdagrad", "ApplyAdam", "ApplyAdamW", "ApplyGradientDescent", "ApplyMomentum",
    "ApplyRMSProp", "ApplySGD", "Assign", "AssignAdd", "AssignSub", "BiasAdd", "Cast", "Ceil",
    "Clamp", "Clip", "ClipByValue", "Cos", "Div", "DivGrad", "DivNoNan", "Dropout", "DropoutGrad",
    "Elu", "EluGrad", "Equal", "Erf", "Exp", "Expm1", "Floor", "FloorDiv", "FloorMod", "FusedAdam",
    "GLU", "GLUGrad", "Gelu", "GeluGrad", "Greater", "GreaterEqual", "HardSigmoid", "HardSwish",
    "HardSwishGrad", "Hardswish", "Hardtanh", "IsFinite", "IsNan", "LeakyRelu", "LeakyReluGrad",
    "Less", "LessEqual", "Log", "Log1p", "LogicalAnd", "LogicalNot", "LogicalOr", "MaskedFill",
    "Maximum", "Minimum", "Mod", "MseLossGrad", "Mul", "MulGrad", "Multiply", "Neg", "Negative",
    "NllLossGrad", "Not", "NotEqual", "Or", "Pow", "PowGrad", "RealDiv", "Reciprocal", "Relu",
    "Relu6", "Relu6Grad", "ReluGrad", "ResidualAdd", "Round", "Rsqrt", "RsqrtGrad", "Scale",
    "Select", "SelectV2", "Selu", "Sigmoid", "SigmoidGrad", "Sign", "Silu", "SiluGrad", "Sin",
    "Softplus", "SoftplusGrad", "Softsign", "Sqrt", "SqrtGrad", "Square", "SquaredDifference",
    "Sub", "SubGrad", "Subtract", "Swish", "SwishGrad", "Tanh", "TanhGrad", "Where", "Xor",
    "ZerosLike", "abs", "add", "and", "cbrt", "ceil", "clamp", "compare", "convert", "copy",
    "cosine", "divide", "erf", "exponential", "exponential-minus-one", "floor", "is-finite", "log",
    "log-plus-one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "power",
    "remainder", "rsqrt", "select", "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor",
});
constexpr auto kBroadcast = std::to_array<Name>({
    "BroadcastTo", "Expand", "Fill", "Full", "MeanGrad", "OneHot", "Ones", "OnesLike",
    "ReduceMeanGrad", "ReduceSumGrad", "Repeat", "SumGrad", "Tile", "Upsample", "Zeros",
    "broadcast", "iota",
});
constexpr auto kReduction = std::to_array<Name>({
    "All", "Any", "ArgMax", "ArgMin", "BatchNorm", "BatchNorm2D", "BatchNorm2d", "BatchNormGrad",
    "BiasAddGrad", "CrossEntropy", "CrossEntropyGrad", "CrossEntropyLoss", "CumSum", "Cumsum",
    "FusedBatchNorm", "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3",
    "FusedBatchNormV2", "FusedBatchNormV3", "GroupNorm", "GroupNormGrad", "InstanceNorm",
    "InstanceNormGrad", "L2Loss", "LRN", "LRNGrad", "LayerNorm", "LayerNormGrad", "LogSoftmax",
    "LogSoftmaxGrad", "LogSumExp", "Max", "Mean", "Min", "MseLoss", "NLLLoss", "NllLoss", "Norm",
    "Prod", "RMSNorm", "RMSNormGrad", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin",
    "ReduceProd", "ReduceSum", "Softmax", "SoftmaxCrossEntropy", "SoftmaxCrossEntropyGrad",
    "SoftmaxCrossEntropyWithLogits", "SoftmaxGrad", "SparseSoftmaxCrossEntropyWithLogits", "Sum",
    "Var", "VarMean", "batch-norm-grad", "batch-norm-inference", "batch-norm-training", "reduce",
});
constexpr auto kReshape = std::to_array<Name>({
    "Concat", "ConcatV2", "Copy", "DepthToSpace", "ExpandDims", "Flatten", "Flip", "Identity",
    "MirrorPad", "Pack", "Pad", "PadV2", "Permute", "Reshape", "Reverse", "ReverseV2", "Roll",
    "Slice", "SliceGrad", "SliceUpdate", "SpaceToDepth", "Split", "SplitV", "Squeeze", "Stack",
    "StopGradient", "StridedSlice", "Transpose", "Unpack", "Unsqueeze", "Unstack", "View",
    "bitcast", "concatenate", "dynamic-slice", "dynamic-update-slice", "pad", "reshape", "reverse",
    "slice", "transpose",
});
constexpr auto kHeavy = std::to_array<Name>({
    "Attention", "AttentionGrad", "BMM", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Bmm",
    "Conv", "Conv1D", "Conv1d", "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput",
    "Conv2DTranspose", "Conv2d", "Conv3D", "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2",
    "Conv3d", "ConvBackwardData", "ConvBackwardWeight", "ConvTranspose", "Dense", "DepthwiseConv2D",
    "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput", "Einsum", "FlashAttention", "FlashAttentionGrad", "Gemm",
    "Linear", "MatMul", "Matmul", "ScaledDotProductAttention", "ScaledDotProductAttentionGrad",
    "convolution", "dot",
});
// Opaque types of frameworks, our graphs and exporters, so that a misspelt type differs from one
// that is merely opaque.
constexpr auto kKnownOpaque = std::to_array<Name>({
    "AdaptiveAvgPool2d", "AllGather", "AllReduce", "AllToAll", "AvgPool", "AvgPoolGrad",
    "Broadcast", "Const", "Constant", "CudnnRNN", "CudnnRNNBackprop", "Custom", "Embedding",
    "EmbeddingGrad", "GRU", "GRUGrad", "Gather", "GatherGrad", "GatherNd", "GatherV2", "If", "LSTM",
    "LSTMGrad", "LogUniformCandidateSampler", "Loop", "MaxPool", "MaxPoolGrad", "NoOp",
    "NonMaxSuppression", "NonZero", "Placeholder", "RNN", "RNNGrad", "RandomNormal",
    "RandomStandardNormal", "RandomUniform", "Recv", "ReduceScatter", "ResizeBilinear",
    "ResizeNearestNeighbor", "Scan", "ScatterAdd", "ScatterNd", "ScatterUpdate", "Send",
    "SparseApplyAdam", "TopK", "TopKV2", "Unique", "Variable", "VariableV2", "While", "all-gather",
    "all-reduce", "all-to-all", "call", "conditional", "constant", "custom-call", "fft", "fusion",
    "gather", "parameter", "reduce-scatter", "reduce-window", "rng", "rng-bit-generator", "scatter",
    "select-and-scatter", "sort", "tuple", "while",
});
// clang-format on

static_assert(std::ranges::is_sorted(kKnownOpaque));
static_assert(std::ranges::is_sorted(kElementwise));
static_assert(std::ranges::is_sorted(kBroadcast));
static_assert(std::ranges::is_sorted(kReduction));
static_assert(std::ranges::is_sorted(kReshape));
static_assert(std::ranges::is_sorted(kHeavy));

struct TypesOfClass {
  FusionClass fusion_class;
  std::span<const Name> types;
};
constexpr std::array<TypesOfClass, 5> kTypes = {{
    {FusionClass::kElementwise, kElementwise},
    {FusionClass::kBroadcast, kBroadcast},
    {FusionClass::kReduction, kReduction},
    {FusionClass::kReshape, kReshape},
    {FusionClass::kHeavy, kHeavy},
}};

}  // namespace

std::string_view NameOf(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}
std::string_view NameOf(Measured measured) {
  return kMeasuredNames[static_cast<std::size_t>(measured)];
}

std::string_view NameOf(FusionClass fusion_class) {
  return kFusionClassNames[static_cast<std::size_t>(fusion_class)];
}
std::string_view NameOf(DType dtype) {
  return kDTypeNames[static_cast<std::size_t>(dtype)];
}
std::string_view NameOf(DeviceKind kind) {
  return kDeviceKindNames[static_cast<std::size_t>(kind)];
}

std::optional<Phase> FindPhase(std::string_view name) {
  const auto phase = Find<Phase>(kPhaseNames, name);
  return phase == Phase::kUnknown ? std::nullopt : phase;  // files leave an unknown phase out
}
std::optional<Measured> FindMeasured(std::string_view name) {
  return Find<Measured>(kMeasuredNames, name);
}

std::optional<FusionClass> FindFusionClass(std::string_view name) {
  return Find<FusionClass>(kFusionClassNames, name);
}
std::optional<DType> FindDType(std::string_view name) {
  return Find<DType>(kDTypeNames, name);
}
std::optional<DeviceKind> FindDeviceKind(std::string_view name) {
  return Find<DeviceKind>(kDeviceKindNames, name);
}

bool IsKnownOpType(std::string_view type) {
  return FusionClassOfType(type) != FusionClass::kOpaque ||
         std::ranges::binary_search(kKnownOpaque, type);
}

std::vector<std::string> KnownOpTypes() {
  std::vector<std::string> types(kKnownOpaque.begin(), kKnownOpaque.end());
  for (const TypesOfClass& entry : kTypes) {
    types.insert(types.end(), entry.types.begin(), entry.types.end());
  }
  return types;
}

FusionClass FusionClassOfType(std::string_view type) {
  for (const TypesOfClass& entry : kTypes) {
    if (std::ranges::binary_search(entry.types, type)) {
      return entry.fusion_class;
    }
  }
  return FusionClass::kOpaque;
}

}  // namespace opyard::sim
