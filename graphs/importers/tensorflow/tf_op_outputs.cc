#include "graphs/importers/tensorflow/tf_op_outputs.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "graphs/importers/tensorflow/tf_types.h"

namespace opyard::graphs {
namespace {

struct OutputsRow {
  std::string_view type;
  std::string_view outputs;  // "name:attribute of its DataType name:@DataType list*:attribute"
};

// Ops that have several outputs, or one that is not of the attribute T or dtype; by the registry of
// TensorFlow 2.21.
// clang-format off
constexpr auto kOutputsRows = std::to_array<OutputsRow>({
    {"All", "output:@10"},
    {"Any", "output:@10"},
    {"ApproximateEqual", "z:@10"},
    {"ArgMax", "output:output_type"},
    {"ArgMin", "output:output_type"},
    {"BatchFunction", "out_tensors*:Tout"},
    {"BatchMatMulV3", "output:Tout"},
    {"Bitcast", "output:type"},
    {"BlockLSTM", "i:T cs:T f:T o:T ci:T co:T h:T"},
    {"BlockLSTMGrad", "x_grad:T cs_prev_grad:T h_prev_grad:T w_grad:T wci_grad:T wcf_grad:T wco_grad:T b_grad:T"},
    {"BlockLSTMGradV2", "x_grad:T cs_prev_grad:T h_prev_grad:T w_grad:T wci_grad:T wcf_grad:T wco_grad:T b_grad:T"},
    {"BlockLSTMV2", "i:T cs:T f:T o:T ci:T co:T h:T"},
    {"BroadcastGradientArgs", "r0:T r1:T"},
    {"Bucketize", "output:@3"},
    {"CTCLoss", "loss:T gradient:T"},
    {"CTCLossV2", "loss:@1 gradient:@1"},
    {"Case", "output*:Tout"},
    {"Cast", "y:DstT"},
    {"CombinedNonMaxSuppression", "nmsed_boxes:@1 nmsed_scores:@1 nmsed_classes:@1 valid_detections:@3"},
    {"Complex", "out:Tout"},
    {"ComplexAbs", "y:Tout"},
    {"ConcatOffset", "offset*:shape_type"},
    {"CropAndResize", "crops:@1"},
    {"CudnnRNN", "output:T output_h:T output_c:T reserve_space:T"},
    {"CudnnRNNBackprop", "input_backprop:T input_h_backprop:T input_c_backprop:T params_backprop:T"},
    {"CudnnRNNBackpropV2", "input_backprop:T input_h_backprop:T input_c_backprop:T params_backprop:T"},
    {"CudnnRNNBackpropV3", "input_backprop:T input_h_backprop:T input_c_backprop:T params_backprop:T"},
    {"CudnnRNNV2", "output:T output_h:T output_c:T reserve_space:T host_reserved:@6"},
    {"CudnnRNNV3", "output:T output_h:T output_c:T reserve_space:T host_reserved:@6"},
    {"EmptyTensorList", "handle:@21"},
    {"Equal", "z:@10"},
    {"FFT", "output:Tcomplex"},
    {"FFT2D", "output:Tcomplex"},
    {"FFT3D", "output:Tcomplex"},
    {"FakeQuantWithMinMaxArgs", "outputs:@1"},
    {"FakeQuantWithMinMaxVars", "outputs:@1"},
    {"FakeQuantWithMinMaxVarsGradient", "backprops_wrt_input:@1 backprop_wrt_min:@1 backprop_wrt_max:@1"},
    {"FakeQuantWithMinMaxVarsPerChannel", "outputs:@1"},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", "backprops_wrt_input:@1 backprop_wrt_min:@1 backprop_wrt_max:@1"},
    {"FusedBatchNorm", "y:T batch_mean:T batch_variance:T reserve_space_1:T reserve_space_2:T"},
    {"FusedBatchNormGrad", "x_backprop:T scale_backprop:T offset_backprop:T reserve_space_3:T reserve_space_4:T"},
    {"FusedBatchNormGradV2", "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_3:U reserve_space_4:U"},
    {"FusedBatchNormGradV3", "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_4:U reserve_space_5:U"},
    {"FusedBatchNormV2", "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U"},
    {"FusedBatchNormV3", "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U reserve_space_3:U"},
    {"GRUBlockCell", "r:T u:T c:T h:T"},
    {"Gather", "output:Tparams"},
    {"GatherNd", "output:Tparams"},
    {"GatherV2", "output:Tparams"},
    {"Greater", "z:@10"},
    {"GreaterEqual", "z:@10"},
    {"HashTableV2", "table_handle:@20"},
    {"IFFT", "output:Tcomplex"},
    {"IFFT2D", "output:Tcomplex"},
    {"IFFT3D", "output:Tcomplex"},
    {"IRFFT", "output:Treal"},
    {"IRFFT2D", "output:Treal"},
    {"IRFFT3D", "output:Treal"},
    {"IdentityN", "output*:T"},
    {"If", "output*:Tout"},
    {"Imag", "output:Tout"},
    {"InTopK", "precision:@10"},
    {"InTopKV2", "precision:@10"},
    {"IsFinite", "y:@10"},
    {"IsInf", "y:@10"},
    {"IsNan", "y:@10"},
    {"IsVariableInitialized", "is_initialized:@10"},
    {"IteratorGetNext", "components*:output_types"},
    {"IteratorV2", "handle:@20"},
    {"LSTMBlockCell", "i:T cs:T f:T o:T ci:T co:T h:T"},
    {"LSTMBlockCellGrad", "cs_prev_grad:T dicfo:T wci_grad:T wcf_grad:T wco_grad:T"},
    {"Less", "z:@10"},
    {"LessEqual", "z:@10"},
    {"ListDiff", "out:T idx:out_idx"},
    {"LogicalAnd", "z:@10"},
    {"LogicalNot", "y:@10"},
    {"LogicalOr", "z:@10"},
    {"LookupTableFindV2", "values:Tout"},
    {"LoopCond", "output:@10"},
    {"LowerBound", "output:out_type"},
    {"MaxPoolWithArgmax", "output:T argmax:Targmax"},
    {"Merge", "output:T value_index:@3"},
    {"MultiDeviceIteratorGetNextFromShard", "components*:output_types"},
    {"MutableHashTableV2", "table_handle:@20"},
    {"NonMaxSuppression", "selected_indices:@3"},
    {"NonMaxSuppressionV2", "selected_indices:@3"},
    {"NonMaxSuppressionV3", "selected_indices:@3"},
    {"NonMaxSuppressionV4", "selected_indices:@3 valid_outputs:@3"},
    {"NonMaxSuppressionV5", "selected_indices:@3 selected_scores:T valid_outputs:@3"},
    {"NotEqual", "z:@10"},
    {"OneShotIterator", "handle:@20"},
    {"PartitionedCall", "output*:Tout"},
    {"Qr", "q:T r:T"},
    {"QuantizeDownAndShrinkRange", "output:out_type output_min:@1 output_max:@1"},
    {"QuantizeV2", "output:T output_min:@1 output_max:@1"},
    {"QuantizedAdd", "z:Toutput min_z:@1 max_z:@1"},
    {"QuantizedAvgPool", "output:T min_output:@1 max_output:@1"},
    {"QuantizedBatchNormWithGlobalNormalization", "result:out_type result_min:@1 result_max:@1"},
    {"QuantizedBiasAdd", "output:out_type min_out:@1 max_out:@1"},
    {"QuantizedConcat", "output:T output_min:@1 output_max:@1"},
    {"QuantizedConv2D", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DAndRelu", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DAndReluAndRequantize", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DAndRequantize", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DPerChannel", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DWithBias", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DWithBiasAndRelu", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DWithBiasAndReluAndRequantize", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DWithBiasAndRequantize", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DWithBiasSignedSumAndReluAndRequantize", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DWithBiasSumAndRelu", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedConv2DWithBiasSumAndReluAndRequantize", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedDepthwiseConv2D", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedDepthwiseConv2DWithBias", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedDepthwiseConv2DWithBiasAndRelu", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", "output:out_type min_output:@1 max_output:@1"},
    {"QuantizedInstanceNorm", "y:T y_min:@1 y_max:@1"},
    {"QuantizedMatMul", "out:Toutput min_out:@1 max_out:@1"},
    {"QuantizedMatMulWithBias", "out:Toutput min_out:@1 max_out:@1"},
    {"QuantizedMatMulWithBiasAndRelu", "out:Toutput min_out:@1 max_out:@1"},
    {"QuantizedMatMulWithBiasAndReluAndRequantize", "out:Toutput min_out:@1 max_out:@1"},
    {"QuantizedMatMulWithBiasAndRequantize", "out:Toutput min_out:@1 max_out:@1"},
    {"QuantizedMaxPool", "output:T min_output:@1 max_output:@1"},
    {"QuantizedMul", "z:Toutput min_z:@1 max_z:@1"},
    {"QuantizedRelu", "activations:out_type min_activations:@1 max_activations:@1"},
    {"QuantizedRelu6", "activations:out_type min_activations:@1 max_activations:@1"},
    {"QuantizedReshape", "output:T output_min:@1 output_max:@1"},
    {"QuantizedResizeBilinear", "resized_images:T out_min:@1 out_max:@1"},
    {"QueueDequeueManyV2", "components*:component_types"},
    {"QueueDequeueUpToV2", "components*:component_types"},
    {"QueueDequeueV2", "components*:component_types"},
    {"RFFT", "output:Tcomplex"},
    {"RFFT2D", "output:Tcomplex"},
    {"RFFT3D", "output:Tcomplex"},
    {"RandomUniformInt", "output:Tout"},
    {"Range", "output:Tidx"},
    {"Rank", "output:@3"},
    {"Real", "output:Tout"},
    {"RefMerge", "output:T value_index:@3"},
    {"RefSwitch", "output_false:T output_true:T"},
    {"RemoteCall", "output*:Tout"},
    {"RequantizationRange", "output_min:@1 output_max:@1"},
    {"Requantize", "output:out_type output_min:@1 output_max:@1"},
    {"ResizeArea", "resized_images:@1"},
    {"ResizeBicubic", "resized_images:@1"},
    {"ResizeBilinear", "resized_images:@1"},
    {"RestoreV2", "tensors*:dtypes"},
    {"Shape", "output:out_type"},
    {"ShapeN", "output*:out_type"},
    {"Size", "output:out_type"},
    {"SoftmaxCrossEntropyWithLogits", "loss:T backprop:T"},
    {"SparseFillEmptyRows", "output_indices:@9 output_values:T empty_row_indicator:@10 reverse_index_map:@9"},
    {"SparseMatMul", "product:@1"},
    {"SparseSoftmaxCrossEntropyWithLogits", "loss:T backprop:T"},
    {"Split", "output*:T"},
    {"SplitV", "output*:T"},
    {"StatefulPartitionedCall", "output*:Tout"},
    {"StatelessCase", "output*:Tout"},
    {"StatelessIf", "output*:Tout"},
    {"StatelessRandomGetAlg", "alg:@3"},
    {"StatelessRandomGetKeyCounter", "key:@23 counter:@23"},
    {"StatelessRandomGetKeyCounterAlg", "key:@23 counter:@23 alg:@3"},
    {"StatelessWhile", "output*:T"},
    {"Svd", "s:T u:T v:T"},
    {"Switch", "output_false:T output_true:T"},
    {"TensorArrayGradV3", "grad_handle:@20 flow_out:@1"},
    {"TensorArrayScatterV3", "flow_out:@1"},
    {"TensorArraySizeV3", "size:@3"},
    {"TensorArrayV3", "handle:@20 flow:@1"},
    {"TensorArrayWriteV3", "flow_out:@1"},
    {"TensorListConcatV2", "tensor:element_dtype lengths:@9"},
    {"TensorListElementShape", "element_shape:shape_type"},
    {"TensorListFromTensor", "output_handle:@21"},
    {"TensorListGather", "values:element_dtype"},
    {"TensorListGetItem", "item:element_dtype"},
    {"TensorListLength", "length:@3"},
    {"TensorListPopBack", "output_handle:@21 tensor:element_dtype"},
    {"TensorListPushBack", "output_handle:@21"},
    {"TensorListReserve", "handle:@21"},
    {"TensorListResize", "output_handle:@21"},
    {"TensorListScatterIntoExistingList", "output_handle:@21"},
    {"TensorListScatterV2", "output_handle:@21"},
    {"TensorListSetItem", "output_handle:@21"},
    {"TensorListSplit", "output_handle:@21"},
    {"TensorListStack", "tensor:element_dtype"},
    {"TopK", "values:T indices:@3"},
    {"TopKV2", "values:T indices:index_type"},
    {"UniformQuantizedConvolution", "output:Tout"},
    {"UniformQuantizedConvolutionHybrid", "output:Tout"},
    {"UniformQuantizedDot", "output:Tout"},
    {"UniformQuantizedDotHybrid", "output:Tout"},
    {"Unique", "y:T idx:out_idx"},
    {"UniqueV2", "y:T idx:out_idx"},
    {"UniqueWithCounts", "y:T idx:out_idx count:out_idx"},
    {"UniqueWithCountsV2", "y:T idx:out_idx count:out_idx"},
    {"Unpack", "output*:T"},
    {"UpperBound", "output:out_type"},
    {"VarHandleOp", "resource:@20"},
    {"VarIsInitializedOp", "is_initialized:@10"},
    {"VariableShape", "output:out_type"},
    {"Where", "index:@9"},
    {"While", "output*:T"},
    {"_FusedBatchNormEx", "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U reserve_space_3:U"},
    {"_FusedBatchNormGradEx", "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_4:U reserve_space_5:U"},
});
// clang-format on
static_assert(std::ranges::is_sorted(kOutputsRows, {}, &OutputsRow::type));

struct Output {
  std::string_view name;
  std::string_view type;
  bool is_list = false;
};

const OutputsRow* FindOutputsRow(std::string_view type) {
  const auto found = std::ranges::lower_bound(kOutputsRows, type, {}, &OutputsRow::type);
  return found != kOutputsRows.end() && found->type == type ? &*found : nullptr;
}

// Takes the first of `outputs` off.
Output TakeOutput(std::string_view& outputs) {
  const std::size_t end = std::min(outputs.find(' '), outputs.size());
  const std::string_view word = outputs.substr(0, end);
  outputs.remove_prefix(std::min(end + 1, outputs.size()));
  const std::size_t colon = word.find(':');
  Output output{.name = word.substr(0, colon), .type = word.substr(colon + 1)};
  if (output.name.ends_with('*')) {
    output.name.remove_suffix(1);
    output.is_list = true;
  }
  return output;
}

// Attributes that equal their default are often left out of files.
std::int64_t DefaultOf(std::string_view type, std::string_view attribute) {
  if (attribute == "Toutput" || (attribute == "out_type" && type.starts_with("Quantized"))) {
    return kTfQint32;
  }
  if (attribute == "output_type") {
    return kTfInt64;
  }
  const bool is_index = attribute == "out_type" || attribute == "out_idx" ||
                        attribute == "index_type" || attribute == "Tidx" ||
                        attribute == "shape_type";
  return is_index ? kTfInt32 : 0;
}

std::int64_t TypeOf(std::string_view op_type,
                    const Output& output,
                    const TfAttributes& attributes,
                    std::size_t index) {
  if (output.type.starts_with('@')) {
    std::int64_t number = 0;
    std::from_chars(output.type.data() + 1, output.type.data() + output.type.size(), number);
    return number;
  }
  if (const std::int64_t type = attributes.Type(output.type); type != 0) {
    return type;
  }
  const std::vector<std::int64_t> types = attributes.Types(output.type);
  return index < types.size() ? types[index] : DefaultOf(op_type, output.type);
}

}  // namespace

std::optional<std::size_t> FindTfPort(std::string_view type,
                                      std::string_view output,
                                      std::size_t index) {
  const OutputsRow* row = FindOutputsRow(type);
  if (row == nullptr) {
    return index;
  }
  std::string_view rest = row->outputs;
  for (std::size_t port = 0; !rest.empty(); ++port) {
    if (TakeOutput(rest).name == output) {
      return port + index;
    }
  }
  return std::nullopt;
}

std::int64_t TfOutputType(std::string_view type, const TfAttributes& attributes, std::size_t port) {
  if (const OutputsRow* row = FindOutputsRow(type)) {
    std::string_view rest = row->outputs;
    for (std::size_t at = 0; !rest.empty(); ++at) {
      const Output output = TakeOutput(rest);
      if (output.is_list || at == port) {
        return TypeOf(type, output, attributes, port - at);
      }
    }
    return 0;
  }
  for (const std::string_view key : {"DstT",
                                     "out_type",
                                     "output_type",
                                     "dtype",
                                     "T",
                                     "Tparams",
                                     "element_dtype",
                                     "Tout",
                                     "Toutput"}) {
    if (const std::int64_t given = attributes.Type(key); given != 0) {
      return given;
    }
  }
  return 0;
}

std::size_t NumTfOutputs(std::string_view type) {
  const OutputsRow* row = FindOutputsRow(type);
  if (row == nullptr) {
    return 1;
  }
  return static_cast<std::size_t>(std::ranges::count(row->outputs, ' ')) + 1;
}

}  // namespace opyard::graphs
