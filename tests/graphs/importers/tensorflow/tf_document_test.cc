// Recognition of TensorFlow messages by the content of a file.
#include "graphs/importers/tensorflow/tf_document.h"

#include <gmock/gmock.h>

#include "graphs/importers/tensorflow/proto_encoder.h"
#include "sim/io/text/text_file.h"
#include "tests/graphs/importers/tensorflow/graph_text.h"

namespace opyard::graphs {
namespace {

using ::testing::HasSubstr;

const char* const kData = "tests/graphs/importers/tensorflow/data/";

// Without the help of a name.
ImportedGraph ReadAnonymous(const std::string& bytes) {
  return ImportGraph({.bytes = bytes, .place = "in", .stem = "small"}, "in");
}

ImportedGraph ReadData(const std::string& file) {
  return ReadAnonymous(sim::ReadBinaryFile(kData + file));
}

TEST(TfDocumentTest, TextsAreRecognisedByWhatTheirNodesHold) {
  EXPECT_EQ(ReadData("graph.pbtxt").summary.format, "graphdef");
  EXPECT_EQ(ReadData("one_node.pbtxt").summary.format, "graphdef");
  for (const char* file : {"bom_short_lists.pbtxt",
                           "cost_header_comment.pbtxt",
                           "cost_hex_and_enum.pbtxt",
                           "cost_run_metadata.pbtxt",
                           "cost_short_lists.pbtxt",
                           "cost_unrecorded.pbtxt"}) {
    EXPECT_EQ(ReadData(file).summary.format, "costgraph") << file;
  }
}

TEST(TfDocumentTest, ATextGraphHasItsFlops) {
  const ImportedGraph imported = ReadData("graph.pbtxt");
  EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 2.0 * 128 * 256 * 512);
  EXPECT_EQ(GetOp(*imported.graph, "w").param_bytes, Bytes{256 * 512 * 4});
}

TEST(TfDocumentTest, ShortListsAndOtherFormsOfTheTextAreRead) {
  const ImportedGraph lists = ReadData("cost_short_lists.pbtxt");
  EXPECT_EQ(lists.graph->num_control_edges(), 3U);
  const ImportedGraph forms = ReadData("cost_hex_and_enum.pbtxt");
  const sim::OpGraph& graph = *forms.graph;
  EXPECT_EQ(graph.ops()[1].name, "b_two");
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "a"), 0)).bytes, Bytes{1000});  // 0x3E8
}

// The first node shows the kind of the text, in the middle of the list.
TEST(TfDocumentTest, ListsOfNodesAreRead) {
  const ImportedGraph imported = ReadAnonymous(
      "node: [{ name: 'a' id: 1 compute_cost: 5 output_info {} },\n"
      "       < id: 2 input_info { preceding_node: 1 } >]\n"
      "node []");
  EXPECT_EQ(imported.summary.format, "costgraph");
  EXPECT_EQ(imported.graph->num_ops(), 2U);
  EXPECT_EQ(MessageOf("node [{ id: 1 }, {", "costgraph"),
            "in:1:19: found the end of the file, expected the end of a message (})");
}

TEST(TfDocumentTest, TheCostGraphOfRunMetadataIsRead) {
  EXPECT_EQ(ReadData("cost_run_metadata.pbtxt").graph->num_ops(), 2U);
  EXPECT_EQ(MessageOf("step_stats { }", "costgraph"),
            "in: found RunMetadata without a cost_graph, expected one; run the step with "
            "build_cost_model=1");
}

TEST(TfDocumentTest, BinaryCostGraphsAreRead) {
  const std::string text = sim::ReadBinaryFile(std::string(kData) + "cost_run_metadata.pbtxt");
  const ImportedGraph of_run = ReadAnonymous(EncodeProtoText(text, kRunMetadata, "in"));
  EXPECT_EQ(of_run.summary.format, "costgraph");
  EXPECT_EQ(of_run.graph->num_ops(), 2U);
  const std::string unrecorded = sim::ReadBinaryFile(std::string(kData) + "cost_unrecorded.pbtxt");
  const ImportedGraph alone = ReadAnonymous(EncodeProtoText(unrecorded, kCostGraphDef, "in"));
  EXPECT_EQ(alone.summary.format, "costgraph");
  EXPECT_EQ(alone.graph->num_data_edges(), 1U);
}

// y = x [2, 3] · w [3, 5], and a saver that no signature needs.
std::string Model() {
  return Placeholder("x", {2, 3}) + Placeholder("w", {3, 5}) + Node("y", "MatMul", {"x", "w"}) +
         Node("save", "MatMul", {"x", "w"});
}

std::string MetaGraph() {
  return "meta_info_def { tensorflow_version: \"2.15.0\" } graph_def { " + Model() +
         "} signature_def { key: \"serving_default\" value { outputs { key: \"out\" value { name: "
         "\"y:0\" } } } }";
}

TEST(TfDocumentTest, TheGraphOfAMetaGraphIsReadAsFarAsItsOutputsNeedIt) {
  const std::string wire = EncodeProtoText(MetaGraph(), kMetaGraphDef, "in");
  for (const std::string& bytes : {MetaGraph(), wire}) {
    const ImportedGraph imported = ReadAnonymous(bytes);
    EXPECT_EQ(imported.summary.format, "graphdef");
    EXPECT_EQ(imported.graph->num_ops(), 3U);
    EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 60.0);
    EXPECT_EQ(imported.summary.folded.CountOf("node that the outputs of the model do not need"),
              1U);
  }
}

TEST(TfDocumentTest, TheGraphOfASavedModelIsRead) {
  const std::string text = "saved_model_schema_version: 1 meta_graphs { " + MetaGraph() + " }";
  const std::string wire = EncodeProtoText(text, kSavedModel, "in");
  for (const std::string& bytes : {text, wire}) {
    EXPECT_EQ(GetOp(*ReadAnonymous(bytes).graph, "y").flops.count, 60.0);
  }
}

TEST(TfDocumentTest, ElementTypesHaveTheirSizes) {
  // 1024 elements each.
  const ImportedGraph imported = ReadData("dtypes.pb");
  const sim::OpGraph& graph = *imported.graph;
  const auto bytes = [&](const char* name) {
    return graph.tensor(graph.output(FindOp(graph, name), 0)).bytes.count;
  };
  EXPECT_EQ(bytes("complex64"), 8 * 1024);
  EXPECT_EQ(bytes("complex128"), 16 * 1024);
  EXPECT_EQ(bytes("int4"), 512);
  EXPECT_EQ(bytes("uint4"), 512);
  EXPECT_EQ(bytes("qint8"), 1024);
  EXPECT_EQ(bytes("quint8"), 1024);
  EXPECT_EQ(bytes("qint16"), 2 * 1024);
  EXPECT_EQ(bytes("qint32"), 4 * 1024);
  EXPECT_EQ(bytes("half"), 2 * 1024);
  EXPECT_EQ(bytes("bf16"), 2 * 1024);
  EXPECT_EQ(bytes("f8e5m2"), 1024);
  EXPECT_EQ(bytes("f8e4m3fn"), 1024);
}

TEST(TfDocumentTest, UnknownElementTypesAreNamed) {
  EXPECT_THAT(MessageOf(Placeholder("x", {2}, "DT_FLOAT7"), "graphdef"),
              HasSubstr("found the element type \"DT_FLOAT7\", expected a DataType"));
  EXPECT_EQ(
      MessageOf(Placeholder("x", {2}, "77"), "graphdef"),
      "in#/node/0: found the element type 77, expected a DataType of TensorFlow, from 1 to 33");
}

TEST(TfDocumentTest, LargeConstantsOfAnyTypeStayWithTheirBytes) {
  const auto table = [](const std::string& name, const std::string& type) {
    return Node(name,
                "Const",
                {},
                Attr("dtype", "type: " + type) + Attr("value",
                                                      "tensor { dtype: " + type + " tensor_shape " +
                                                          ShapeText({64, 64}) + " }"));
  };
  const ImportedGraph imported =
      ImportText(table("f", "DT_FLOAT") + table("q", "DT_QINT8") + table("n", "DT_INT4") +
                     table("t", "DT_STRING") + Node("y", "Pack", {"f", "q", "n", "t"}),
                 "graphdef");
  EXPECT_EQ(GetOp(*imported.graph, "f").param_bytes, Bytes{64 * 64 * 4});
  EXPECT_EQ(GetOp(*imported.graph, "q").param_bytes, Bytes{64 * 64});
  EXPECT_EQ(GetOp(*imported.graph, "n").param_bytes, Bytes{64 * 64 / 2});
  EXPECT_EQ(imported.summary.folded.CountOf("constant up to 1 KiB"), 1U);  // texts have no size
}

// A frozen graph: nothing but what freeze_graph leaves.
TEST(TfDocumentTest, AFrozenNetworkHasItsFlops) {
  const auto table = [](const std::string& name, const Integers& extents) {
    return Node(name,
                "Const",
                {},
                Attr("dtype", "type: DT_FLOAT") + Attr("value",
                                                       "tensor { dtype: DT_FLOAT tensor_shape " +
                                                           ShapeText(extents) + " float_val: 0 }"));
  };
  const ImportedGraph imported =
      ImportText(Placeholder("input", {32, 28, 28, 1}) + table("conv/w", {5, 5, 1, 32}) +
                     Node("conv",
                          "Conv2D",
                          {"input", "conv/w"},
                          ListAttr("strides", {1, 1, 1, 1}) + TextAttr("padding", "SAME")) +
                     Node("relu", "Relu", {"conv"}) + List("flat/shape", {-1, 28 * 28 * 32}) +
                     Node("flat", "Reshape", {"relu", "flat/shape"}) + table("fc/w", {25088, 10}) +
                     Node("fc", "MatMul", {"flat", "fc/w"}),
                 "graphdef");
  const sim::OpGraph& graph = *imported.graph;
  // 32·28·28·32 results of 25 multiply-adds each; 32 rows of 25088 · 10.
  EXPECT_EQ(GetOp(graph, "conv").flops.count, 2.0 * 32 * 28 * 28 * 32 * 25);
  EXPECT_EQ(GetOp(graph, "fc").flops.count, 2.0 * 32 * 25088 * 10);
  EXPECT_EQ(GetOp(graph, "fc/w").param_bytes, Bytes{25088 * 10 * 4});
  EXPECT_TRUE(imported.summary.unknown.all().empty());
}

TEST(TfDocumentTest, RecurrentLayersOfCudnnCountTheirGates) {
  // 7 steps of 2 rows, 3 → 5 features and back: 2 · (3 + 5) · 4 · 5 FLOPs per row, step, direction.
  const ImportedGraph imported = ImportText(
      Placeholder("x", {7, 2, 3}) + Placeholder("h", {2, 2, 5}) + Placeholder("p", {400}) +
          Node("y", "CudnnRNN", {"x", "h", "h", "p"}, TextAttr("direction", "bidirectional")),
      "graphdef");
  EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 7.0 * 2 * 2 * 2 * 8 * 4 * 5);
}

TEST(TfDocumentTest, FusedAndComplexProductsCountWhatTheyDo) {
  const ImportedGraph imported = ImportText(
      Placeholder("x", {2, 3}) + Placeholder("w", {3, 5}) + Placeholder("b", {5}) +
          Node("fused",
               "_FusedMatMul",
               {"x", "w", "b"},
               Attr("fused_ops", "list { s: ['BiasAdd', 'Relu'] }")) +
          Placeholder("c", {2, 3}, "DT_COMPLEX64") + Placeholder("d", {3, 5}, "DT_COMPLEX64") +
          Node("complex", "MatMul", {"c", "d"}, Attr("T", "type: DT_COMPLEX64")) +
          Node("mul", "Mul", {"c", "c"}, Attr("T", "type: DT_COMPLEX64")),
      "graphdef");
  EXPECT_EQ(GetOp(*imported.graph, "fused").flops.count, 60.0 + 2 * 10);
  EXPECT_EQ(GetOp(*imported.graph, "complex").flops.count, 4 * 60.0);
  EXPECT_EQ(GetOp(*imported.graph, "mul").flops.count, 6 * 6.0);  // 4 products and 2 sums each
}

}  // namespace
}  // namespace opyard::graphs
