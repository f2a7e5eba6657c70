// Graphs of ATen ops: small ones by hand, and the exports that stand outside the project.
#include <regex>

#include <gtest/gtest.h>

#include "graphs/importers/torch/aten_ops.h"
#include "sim/io/text/text_file.h"
#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

struct Node {
  std::string name;
  std::string kind;
  std::string op;
  std::string outputs;  // JSON
};

std::string Output(const std::string& shape, int bytes, const std::string& dtype = "float32") {
  return R"({"shape": )" + shape + R"(, "dtype": ")" + dtype + R"(", "bytes": )" +
         std::to_string(bytes) + "}";
}

std::string TorchText(const std::vector<Node>& nodes,
                      const std::string& edges,
                      const std::string& meta = "{}") {
  std::string text = R"({"meta": )" + meta + R"(, "nodes": [)";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    text += (i == 0 ? "" : ",") + (R"({"id": )" + std::to_string(i) + R"(, "name": ")") +
            nodes[i].name + R"(", "kind": ")" + nodes[i].kind + R"(", "op": ")" + nodes[i].op +
            R"(", "outputs": [)" + nodes[i].outputs + "]}";
  }
  return text + R"(], "edges": )" + edges + "}";
}

// x [2, 3] times p_w [3, 5].
std::string ProductText() {
  return TorchText({{"p_w", "placeholder", "p_w", Output("[3, 5]", 60)},
                    {"x", "placeholder", "x", Output("[2, 3]", 24)},
                    {"mm", "call_function", "aten.mm.default", Output("[2, 5]", 40)},
                    {"t", "call_function", "aten.t.default", Output("[5, 2]", 40)},
                    {"output", "output", "output", ""}},
                   "[[1, 2], [0, 2], [2, 3], [3, 4]]");
}

TEST(TorchJsonTest, ProductsGetTheirFlopsAndShape) {
  const ImportedGraph imported = ImportText(ProductText(), "torch");
  const OpId mm = FindOp(*imported.graph, "mm");
  EXPECT_EQ(imported.graph->op(mm).type, "MatMul");
  EXPECT_EQ(imported.graph->op(mm).flops.count, 60.0);  // 2 · 2 · 5 · 3
  ASSERT_NE(imported.graph->work_shape(mm), nullptr);
  const auto gemm = std::get<sim::GemmShape>(*imported.graph->work_shape(mm));
  EXPECT_EQ(gemm.m, 2);
  EXPECT_EQ(gemm.n, 5);
  EXPECT_EQ(gemm.k, 3);
  EXPECT_EQ(SourcesOf(*imported.graph, "mm"), (std::vector<std::string>{"x", "p_w"}));
}

TEST(TorchJsonTest, ParametersAreVariablesAndInputsPlaceholders) {
  const ImportedGraph imported = ImportText(ProductText(), "torch");
  EXPECT_EQ(GetOp(*imported.graph, "p_w").type, "Variable");
  EXPECT_EQ(GetOp(*imported.graph, "p_w").param_bytes, Bytes{60});
  EXPECT_TRUE(
      imported.graph->aliases_params(imported.graph->output(FindOp(*imported.graph, "p_w"), 0)));
  EXPECT_EQ(GetOp(*imported.graph, "x").type, "Placeholder");
  EXPECT_EQ(GetOp(*imported.graph, "x").param_bytes, Bytes{0});
}

TEST(TorchJsonTest, ViewsShareTheStorageOfTheirInputAndMoveNothing) {
  const ImportedGraph imported = ImportText(ProductText(), "torch");
  const sim::OpGraph& graph = *imported.graph;
  const sim::Tensor& view = graph.tensor(graph.output(FindOp(graph, "t"), 0));
  EXPECT_EQ(view.alias, sim::Alias::kInput);
  EXPECT_EQ(view.aliased, graph.output(FindOp(graph, "mm"), 0));
  EXPECT_EQ(GetOp(graph, "t").bytes_accessed, Bytes{0});
  EXPECT_TRUE(view.keep);  // the output node reads it
  EXPECT_EQ(imported.summary.folded.CountOf("output"), 1U);
}

TEST(TorchJsonTest, GetitemsBecomeThePortsOfTheirProducer) {
  const ImportedGraph imported = ImportText(
      TorchText({{"x", "placeholder", "x", Output("[2, 3]", 24)},
                 {"pool",
                  "call_function",
                  "aten.max_pool2d_with_indices.default",
                  Output("[2, 3]", 24) + "," + Output("[2, 3]", 48, "int64")},
                 {"getitem", "call_function", "<built-in function getitem>", Output("[2, 3]", 24)},
                 {"getitem_1",
                  "call_function",
                  "<built-in function getitem>",
                  Output("[2, 3]", 48, "int64")},
                 {"relu", "call_function", "aten.relu.default", Output("[2, 3]", 48, "int64")}},
                "[[0, 1], [1, 2], [1, 3], [3, 4]]"),
      "torch");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.num_ops(), 3U);
  EXPECT_EQ(graph.inputs(FindOp(graph, "relu"))[0], graph.output(FindOp(graph, "pool"), 1));
  EXPECT_EQ(imported.summary.folded.CountOf("getitem"), 2U);
  EXPECT_EQ(imported.summary.nodes_read, 5U);
}

// grad [1, 4, 3, 3], image [1, 2, 6, 6], filter [4, 2, 2, 2] without bias: stride 2.
std::string ConvolutionGradients() {
  return TorchText(
      {{"grad", "placeholder", "grad", Output("[1, 4, 3, 3]", 144)},
       {"image", "placeholder", "image", Output("[1, 2, 6, 6]", 288)},
       {"p_w", "placeholder", "p_w", Output("[4, 2, 2, 2]", 128)},
       {"back",
        "call_function",
        "aten.convolution_backward.default",
        Output("[1, 2, 6, 6]", 288) + "," + Output("[4, 2, 2, 2]", 128)},
       {"getitem", "call_function", "<built-in function getitem>", Output("[1, 2, 6, 6]", 288)},
       {"getitem_1", "call_function", "<built-in function getitem>", Output("[4, 2, 2, 2]", 128)},
       {"getitem_2", "call_function", "<built-in function getitem>", ""},
       {"add", "call_function", "aten.add.Tensor", Output("[4, 2, 2, 2]", 128)}},
      "[[0, 3], [1, 3], [2, 3], [3, 4], [3, 5], [3, 6], [5, 7]]");
}

TEST(TorchJsonTest, ConvolutionGradientsBecomeOneOpEach) {
  const ImportedGraph imported = ImportText(ConvolutionGradients(), "torch");
  const sim::OpGraph& graph = *imported.graph;
  const OpId filter = FindOp(graph, "back/Conv2DBackpropFilter");
  // 2 · 36 results · 8 elements of a filter, in both passes.
  EXPECT_EQ(graph.op(filter).flops.count, 576.0);
  EXPECT_EQ(GetOp(graph, "back/Conv2DBackpropInput").flops.count, 576.0);
  EXPECT_EQ(SourcesOf(graph, "back/Conv2DBackpropInput"),
            (std::vector<std::string>{"grad", "p_w"}));
  EXPECT_EQ(SourcesOf(graph, "add"), (std::vector<std::string>{"back/Conv2DBackpropFilter"}));
  const auto conv = std::get<sim::ConvShape>(*graph.work_shape(filter));
  EXPECT_EQ(conv.pass, sim::ConvPass::kBackwardWeight);
  EXPECT_EQ(conv.stride_h, 2);
  EXPECT_EQ(conv.pad_h, 0);
  EXPECT_EQ(imported.summary.folded.CountOf("selection of a result that is not made"), 1U);
  EXPECT_EQ(graph.op(filter).phase, sim::Phase::kBackward);
  EXPECT_EQ(GetOp(graph, "grad").phase, sim::Phase::kForward);
}

TEST(TorchJsonTest, UpdatesInPlaceStayWithTheirVariable) {
  const ImportedGraph imported = ImportText(
      TorchText({{"b_count", "placeholder", "b_count", Output("[]", 8, "int64")},
                 {"add_", "call_function", "aten.add_.Tensor", Output("[]", 8, "int64")}},
                "[[0, 1]]"),
      "torch");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_TRUE(graph.aliases_params(graph.output(FindOp(graph, "add_"), 0)));
  ASSERT_TRUE(GetOp(graph, "add_").colocation.has_value());
  EXPECT_EQ(GetOp(graph, "add_").colocation, GetOp(graph, "b_count").colocation);
}

TEST(TorchJsonTest, OpsWithoutARuleAreCountedAndOpaque) {
  const ImportedGraph imported =
      ImportText(TorchText({{"x", "placeholder", "x", Output("[2]", 8)},
                            {"odd", "call_function", "aten.frobnicate.default", Output("[2]", 8)}},
                           "[[0, 1]]"),
                 "torch");
  const sim::Op& odd = GetOp(*imported.graph, "odd");
  EXPECT_EQ(odd.fusion_class, sim::FusionClass::kOpaque);
  EXPECT_EQ(odd.bytes_accessed, Bytes{16});  // 8 read, 8 written
  ASSERT_EQ(imported.summary.unknown.all().size(), 1U);
  EXPECT_EQ(imported.summary.unknown.all()[0].examples, (std::vector<std::string>{"frobnicate"}));
}

TEST(TorchJsonTest, FirstInputsOfAJointGraphAreItsParameters) {
  const ImportedGraph imported =
      ImportText(TorchText({{"arg0_1", "placeholder", "arg0_1", Output("[2]", 8)},
                            {"arg1_1", "placeholder", "arg1_1", Output("[3]", 12)}},
                           "[]",
                           R"({"gradients_to_parameters": 1})"),
                 "torch");
  EXPECT_EQ(GetOp(*imported.graph, "arg0_1").type, "Variable");
  EXPECT_EQ(GetOp(*imported.graph, "arg1_1").type, "Placeholder");
  EXPECT_EQ(imported.summary.unknown.CountOf(
                "input of a joint graph, perhaps a buffer, taken as a Placeholder"),
            1U);
}

TEST(TorchJsonTest, WrongEdgesAreRefusedWithTheirPlace) {
  const std::vector<Node> nodes = {{"x", "placeholder", "x", Output("[2]", 8)},
                                   {"y", "call_function", "aten.relu.default", Output("[2]", 8)}};
  EXPECT_EQ(
      MessageOf(TorchText(nodes, "[[0, 7], [1, 0], [0]]"), "torch"),
      "in#/edges/0/1: found 7, expected the id of a node\n"
      "in#/edges/1: found an edge to the same or an earlier node, expected topological order\n"
      "in#/edges/2: found another number of items, expected [source id, destination id]");
}

TEST(TorchJsonTest, NodesOfWrongFormAreRefusedWithTheirPlace) {
  EXPECT_EQ(MessageOf(TorchText({{"x", "tensor", "x", Output("[-2]", 8)}}, "[]"), "torch"),
            "in#/nodes/0/kind: found \"tensor\", expected one of placeholder, call_function, "
            "get_attr, output\n"
            "in#/nodes/0/outputs/0/shape/0: found -2, expected an integer from 0 to "
            "1125899906842624");
}

TEST(TorchJsonTest, AnUnknownElementTypeIsNamed) {
  const std::string output = Output("[2]", 8, "torch.float7");
  EXPECT_EQ(MessageOf(TorchText({{"x", "placeholder", "x", output}}, "[]"), "torch"),
            "in#/nodes/0/outputs/0: found the element type \"torch.float7\", expected one of "
            "PyTorch's, such as torch.float32");
}

// A complex multiply-add is four real ones: 4 · 2 · 3 · 5 · 7. A complex sum is two real ones.
TEST(TorchJsonTest, ComplexArithmeticCountsAsTheRealOneItIsMadeOf) {
  const auto output = [](const std::string& shape, int bytes) {
    return Output(shape, bytes, "torch.complex64");
  };
  const ImportedGraph imported =
      ImportText(TorchText({{"a", "placeholder", "a", output("[3, 5]", 120)},
                            {"b", "placeholder", "b", output("[5, 7]", 280)},
                            {"mm", "call_function", "aten.mm.default", output("[3, 7]", 168)},
                            {"add", "call_function", "aten.add.Tensor", output("[3, 7]", 168)}},
                           "[[0, 2], [1, 2], [2, 3]]"),
                 "torch");
  EXPECT_EQ(GetOp(*imported.graph, "mm").flops.count, 4 * 2 * 3 * 5 * 7);
  EXPECT_EQ(GetOp(*imported.graph, "mm").dtype, sim::DType::kC64);
  EXPECT_EQ(GetOp(*imported.graph, "add").flops.count, 2 * 3 * 7);
}

// One row of the exporter's table: ("add", "Add", "elementwise", 1, "out").
TEST(AtenOpsTest, AgreeWithTheExporter) {
  const std::string python = sim::ReadTextFile("python/opyard/export/op_types.py");
  const std::regex row(R"re(\("(\w+)", "(\w+)", "?(\w+)"?, (\d+), "(\w+)"\))re");
  std::size_t rows = 0;
  for (std::sregex_iterator match(python.begin(), python.end(), row), end; match != end; ++match) {
    const AtenOp* op = FindAtenOp((*match)[1].str());
    ASSERT_NE(op, nullptr) << (*match)[1];
    EXPECT_EQ(op->type, (*match)[2].str());
    std::string fusion_class = (*match)[3].str();
    fusion_class = fusion_class == "OPAQUE" ? "opaque" : fusion_class;
    EXPECT_EQ(NameOf(op->fusion_class), fusion_class) << op->name;
    if (op->name.find("pool") == std::string_view::npos) {  // their windows are not in the files
      EXPECT_EQ(op->flops_per_element, std::stoi((*match)[4].str())) << op->name;
    }
    ++rows;
  }
  EXPECT_EQ(rows, 222U);
}

struct Export {
  const char* file;
  std::size_t nodes;
  std::size_t ops;
  double gflops;
};

// Nodes by the README of the exports. Ops: nodes less getitem, detach and output, plus one for each
// convolution_backward with two gradients. FLOPs of a forward pass: 2 · 4.09 G multiply-adds per
// image of ResNet-50, 2 · 5.71 G of Inception-v3, times 32 images, and a few per cent of others.
TEST(TorchJsonTest, ReadsTheExports) {
  if (!std::filesystem::exists(kForeignGraphs)) {
    GTEST_SKIP() << "no exported graphs in " << kForeignGraphs;
  }
  for (const Export& expected :
       {Export{"torch_export_fwd_resnet50.json", 553, 552, 262},
        Export{"torch_export_fwd_inception_v3.json.gz", 1007, 1006, 365},
        // 1478 − 587 getitem − 150 detach − 1 output + 52
        Export{"torch_joint_fwdbwd_resnet50.json.gz", 1478, 792, 3 * 262},
        // 2792 − 1070 − 294 − 1 + 95
        Export{"torch_joint_fwdbwd_inception_v3.json.gz", 2792, 1522, 3 * 365}}) {
    SCOPED_TRACE(expected.file);
    const ImportedGraph imported =
        ImportGraphFile(std::filesystem::path(kForeignGraphs) / "exported" / expected.file);
    EXPECT_EQ(imported.summary.format, "torch");
    EXPECT_EQ(imported.summary.nodes_read, expected.nodes);
    EXPECT_EQ(imported.graph->num_ops(), expected.ops);
    double flops = 0.0;
    for (const sim::Op& op : imported.graph->ops()) {
      flops += op.flops.count;
    }
    EXPECT_NEAR(flops / (expected.gflops * 1e9), 1.0, 0.03);
    EXPECT_EQ(
        imported.summary.unknown.CountOf("op type without a rule: no FLOPs, memory traffic alone"),
        0U);
  }
}

}  // namespace
}  // namespace opyard::graphs
