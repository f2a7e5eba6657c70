#include "graphs/importers/tensorflow/proto_schema.h"

#include <array>

namespace opyard::graphs {
namespace {

using enum ProtoKind;

// Numbers as in tensorflow/core/framework/{graph,node_def,attr_value,function,cost_graph}.proto and
// tensorflow/core/protobuf/{meta_graph,saved_model,config}.proto.
extern const ProtoMessage kAttrValue;

constexpr auto kDimFields = std::to_array<ProtoField>({{"size", 1, kInteger}});
constexpr ProtoMessage kDim{kDimFields};

constexpr auto kShapeFields =
    std::to_array<ProtoField>({{"dim", 2, kMessage, &kDim}, {"unknown_rank", 3, kBool}});
constexpr ProtoMessage kShape{kShapeFields};

constexpr auto kTensorFields = std::to_array<ProtoField>({
    {"dtype", 1, kType},
    {"tensor_shape", 2, kMessage, &kShape},
    {"tensor_content", 4, kText},
    {"float_val", 5, kFloat},
    {"double_val", 6, kDouble},
    {"int_val", 7, kInteger},
    {"int64_val", 10, kInteger},
    {"bool_val", 11, kBool},
    {"uint32_val", 16, kInteger},
    {"uint64_val", 17, kInteger},
});
constexpr ProtoMessage kTensor{kTensorFields};

constexpr auto kAttrEntryFields =
    std::to_array<ProtoField>({{"key", 1, kText}, {"value", 2, kMessage, &kAttrValue}});
constexpr ProtoMessage kAttrEntry{kAttrEntryFields};

constexpr auto kFunctionNameFields =
    std::to_array<ProtoField>({{"name", 1, kText}, {"attr", 2, kMessage, &kAttrEntry}});
constexpr ProtoMessage kFunctionName{kFunctionNameFields};

constexpr auto kListFields = std::to_array<ProtoField>({
    {"s", 2, kText},
    {"i", 3, kInteger},
    {"f", 4, kFloat},
    {"b", 5, kBool},
    {"type", 6, kType},
    {"shape", 7, kMessage, &kShape},
    {"tensor", 8, kMessage, &kTensor},
    {"func", 9, kMessage, &kFunctionName},
});
constexpr ProtoMessage kList{kListFields};

constexpr auto kAttrValueFields = std::to_array<ProtoField>({
    {"list", 1, kMessage, &kList},
    {"s", 2, kText},
    {"i", 3, kInteger},
    {"f", 4, kFloat},
    {"b", 5, kBool},
    {"type", 6, kType},
    {"shape", 7, kMessage, &kShape},
    {"tensor", 8, kMessage, &kTensor},
    {"placeholder", 9, kText},
    {"func", 10, kMessage, &kFunctionName},
});
constexpr ProtoMessage kAttrValue{kAttrValueFields};

constexpr auto kNodeFields = std::to_array<ProtoField>({
    {"name", 1, kText},
    {"op", 2, kText},
    {"input", 3, kText},
    {"attr", 5, kMessage, &kAttrEntry},
});
constexpr ProtoMessage kNode{kNodeFields};

constexpr auto kTextEntryFields =
    std::to_array<ProtoField>({{"key", 1, kText}, {"value", 2, kText}});
constexpr ProtoMessage kTextEntry{kTextEntryFields};

constexpr auto kArgumentFields = std::to_array<ProtoField>({{"name", 1, kText}});
constexpr ProtoMessage kArgument{kArgumentFields};

constexpr auto kSignatureFields = std::to_array<ProtoField>({
    {"name", 1, kText},
    {"input_arg", 2, kMessage, &kArgument},
    {"output_arg", 3, kMessage, &kArgument},
});
constexpr ProtoMessage kSignature{kSignatureFields};

constexpr auto kFunctionFields = std::to_array<ProtoField>({
    {"signature", 1, kMessage, &kSignature},
    {"node_def", 3, kMessage, &kNode},
    {"ret", 4, kMessage, &kTextEntry},
    {"control_ret", 6, kMessage, &kTextEntry},
});
constexpr ProtoMessage kFunction{kFunctionFields};

constexpr auto kLibraryFields = std::to_array<ProtoField>({{"function", 1, kMessage, &kFunction}});
constexpr ProtoMessage kLibrary{kLibraryFields};

constexpr auto kGraphFields =
    std::to_array<ProtoField>({{"node", 1, kMessage, &kNode}, {"library", 2, kMessage, &kLibrary}});

constexpr auto kTensorInfoFields = std::to_array<ProtoField>({{"name", 1, kText}});
constexpr ProtoMessage kTensorInfo{kTensorInfoFields};

constexpr auto kTensorEntryFields =
    std::to_array<ProtoField>({{"key", 1, kText}, {"value", 2, kMessage, &kTensorInfo}});
constexpr ProtoMessage kTensorEntry{kTensorEntryFields};

constexpr auto kSignatureDefFields =
    std::to_array<ProtoField>({{"outputs", 2, kMessage, &kTensorEntry}});
constexpr ProtoMessage kSignatureDef{kSignatureDefFields};

constexpr auto kSignatureEntryFields =
    std::to_array<ProtoField>({{"key", 1, kText}, {"value", 2, kMessage, &kSignatureDef}});
constexpr ProtoMessage kSignatureEntry{kSignatureEntryFields};

constexpr auto kMetaGraphFields = std::to_array<ProtoField>(
    {{"graph_def", 2, kMessage, &kGraphDef}, {"signature_def", 5, kMessage, &kSignatureEntry}});

constexpr auto kSavedModelFields = std::to_array<ProtoField>(
    {{"saved_model_schema_version", 1, kInteger}, {"meta_graphs", 2, kMessage, &kMetaGraphDef}});

constexpr auto kInputFields =
    std::to_array<ProtoField>({{"preceding_node", 1, kInteger}, {"preceding_port", 2, kInteger}});
constexpr ProtoMessage kInput{kInputFields};

constexpr auto kOutputFields = std::to_array<ProtoField>({{"size", 1, kInteger},
                                                          {"alias_input_port", 2, kInteger},
                                                          {"shape", 3, kMessage, &kShape},
                                                          {"dtype", 4, kType}});
constexpr ProtoMessage kOutput{kOutputFields};

constexpr auto kCostNodeFields = std::to_array<ProtoField>({
    {"name", 1, kText},
    {"device", 2, kText},
    {"id", 3, kInteger},
    {"input_info", 4, kMessage, &kInput},
    {"output_info", 5, kMessage, &kOutput},
    {"temporary_memory_size", 6, kInteger},
    {"is_final", 7, kBool},
    {"control_input", 8, kInteger},
    {"compute_cost", 9, kInteger},
    {"persistent_memory_size", 12, kInteger},
});
constexpr ProtoMessage kCostNode{kCostNodeFields};

constexpr auto kCostGraphFields = std::to_array<ProtoField>({{"node", 1, kMessage, &kCostNode}});

constexpr auto kRunMetadataFields =
    std::to_array<ProtoField>({{"cost_graph", 2, kMessage, &kCostGraphDef}});

}  // namespace

constexpr ProtoMessage kGraphDef{kGraphFields};
constexpr ProtoMessage kMetaGraphDef{kMetaGraphFields};
constexpr ProtoMessage kSavedModel{kSavedModelFields};
constexpr ProtoMessage kCostGraphDef{kCostGraphFields};
constexpr ProtoMessage kRunMetadata{kRunMetadataFields};

}  // namespace opyard::graphs
