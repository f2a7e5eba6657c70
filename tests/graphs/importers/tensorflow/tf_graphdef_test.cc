// TensorFlow's GraphDef: small ones by hand in its wire format, and the exports that stand outside
// the project.
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

constexpr int kFloat = 1;  // DataType
constexpr int kInt32 = 3;
constexpr int kResource = 20;

std::string TypeValue(int type) {
  std::string value;
  protozero::pbf_writer(value).add_enum(6, type);
  return value;
}

std::string ShapesValue(const Shapes& shapes) {
  std::string list;
  for (const std::vector<std::int64_t>& shape : shapes) {
    std::string message;
    for (const std::int64_t extent : shape) {
      std::string dim;
      protozero::pbf_writer(dim).add_int64(1, extent);
      protozero::pbf_writer(message).add_message(2, dim);
    }
    protozero::pbf_writer(list).add_message(7, message);
  }
  std::string value;
  protozero::pbf_writer(value).add_message(1, list);
  return value;
}

std::string IntegersValue(const std::vector<std::int64_t>& integers) {
  std::string list;
  protozero::pbf_writer(list).add_packed_int64(3, integers.begin(), integers.end());
  std::string value;
  protozero::pbf_writer(value).add_message(1, list);
  return value;
}

// A GraphDef in the making.
class GraphDef {
 public:
  struct Attribute {
    std::string key;
    std::string value;
  };

  GraphDef& Add(const std::string& name,
                const std::string& op,
                const std::vector<std::string>& inputs,
                int dtype,
                const Shapes& shapes,
                const std::vector<Attribute>& attributes = {}) {
    std::string node;
    protozero::pbf_writer writer(node);
    writer.add_string(1, name);
    writer.add_string(2, op);
    for (const std::string& input : inputs) {
      writer.add_string(3, input);
    }
    AddAttribute(writer, {"dtype", TypeValue(dtype)});
    if (!shapes.empty()) {
      AddAttribute(writer, {"_output_shapes", ShapesValue(shapes)});
    }
    for (const Attribute& attribute : attributes) {
      AddAttribute(writer, attribute);
    }
    protozero::pbf_writer(bytes_).add_message(1, node);
    return *this;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  static void AddAttribute(protozero::pbf_writer& writer, const Attribute& attribute) {
    std::string entry;
    protozero::pbf_writer(entry).add_string(1, attribute.key);
    protozero::pbf_writer(entry).add_message(2, attribute.value);
    writer.add_message(5, entry);
  }

  std::string bytes_;
};

// x [2, 3] times a captured weight [3, 5], whose gradient is subtracted from it.
GraphDef Step() {
  GraphDef graph;
  graph.Add("x", "Placeholder", {}, kFloat, {{2, 3}})
      .Add("w", "Placeholder", {}, kResource, {{}})
      .Add("read", "ReadVariableOp", {"w"}, kFloat, {{3, 5}})
      .Add("mm", "MatMul", {"x", "read"}, kFloat, {{2, 5}})
      .Add("axis", "Const", {}, kInt32, {{1}})
      .Add("loss", "Sum", {"mm", "axis"}, kFloat, {{}})
      .Add("gradient_tape/mm", "MatMul", {"x", "mm"}, kFloat, {{3, 5}})
      .Add("same", "Identity", {"gradient_tape/mm"}, kFloat, {{3, 5}})
      .Add("sgd/rate", "Const", {}, kFloat, {{}})
      .Add("sgd/mul", "Mul", {"same", "sgd/rate"}, kFloat, {{3, 5}})
      .Add("sgd/sub", "AssignSubVariableOp", {"w", "sgd/mul", "^read"}, kFloat, {})
      .Add("end", "NoOp", {"^sgd/sub"}, kFloat, {});
  return graph;
}

TEST(TfGraphDefTest, ResourcesAreVariablesAsLargeAsWhatIsReadFromThem) {
  const ImportedGraph imported = ImportText(Step().bytes(), "graphdef");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "w").type, "Variable");
  EXPECT_EQ(GetOp(graph, "w").param_bytes, Bytes{60});  // 3 · 5 · 4
  EXPECT_EQ(GetOp(graph, "x").type, "Placeholder");
  ASSERT_TRUE(GetOp(graph, "w").colocation.has_value());
  EXPECT_EQ(GetOp(graph, "read").colocation, GetOp(graph, "w").colocation);
  EXPECT_EQ(GetOp(graph, "sgd/sub").colocation, GetOp(graph, "w").colocation);
  EXPECT_FALSE(GetOp(graph, "mm").colocation.has_value());
  EXPECT_TRUE(graph.aliases_params(graph.output(FindOp(graph, "read"), 0)));
}

TEST(TfGraphDefTest, ConstantsIdentitiesAndTheEndAreFoldedAndCounted) {
  const ImportedGraph imported = ImportText(Step().bytes(), "graphdef");
  EXPECT_EQ(imported.summary.nodes_read, 12U);
  EXPECT_EQ(imported.graph->num_ops(), 8U);  // without two constants, same and end
  EXPECT_EQ(imported.summary.folded.CountOf("constant up to 1 KiB"), 2U);
  EXPECT_EQ(imported.summary.folded.CountOf("Identity or StopGradient"), 1U);
  EXPECT_EQ(imported.summary.folded.CountOf("NoOp that nothing waits for"), 1U);
  EXPECT_EQ(SourcesOf(*imported.graph, "sgd/mul"), (std::vector<std::string>{"gradient_tape/mm"}));
}

TEST(TfGraphDefTest, UpdatesReadAndWriteTheirVariable) {
  const ImportedGraph imported = ImportText(Step().bytes(), "graphdef");
  const sim::OpGraph& graph = *imported.graph;
  const sim::Op& update = GetOp(graph, "sgd/sub");
  EXPECT_EQ(update.type, "AssignSub");
  EXPECT_EQ(update.bytes_accessed, Bytes{180});  // variable and value read, variable written
  EXPECT_EQ(update.flops.count, 15.0);
  ASSERT_EQ(graph.control_inputs(FindOp(graph, "sgd/sub")).size(), 1U);
  EXPECT_EQ(graph.control_inputs(FindOp(graph, "sgd/sub"))[0], FindOp(graph, "read"));
}

TEST(TfGraphDefTest, PhasesFollowFromTheScopesOfGradients) {
  const ImportedGraph imported = ImportText(Step().bytes(), "graphdef");
  EXPECT_EQ(GetOp(*imported.graph, "mm").phase, sim::Phase::kForward);
  EXPECT_EQ(GetOp(*imported.graph, "gradient_tape/mm").phase, sim::Phase::kBackward);
  EXPECT_EQ(GetOp(*imported.graph, "sgd/mul").phase, sim::Phase::kUpdate);
  EXPECT_EQ(GetOp(*imported.graph, "sgd/sub").phase, sim::Phase::kUpdate);
}

TEST(TfGraphDefTest, ProductsAndSumsGetTheirFlops) {
  const ImportedGraph imported = ImportText(Step().bytes(), "graphdef");
  EXPECT_EQ(GetOp(*imported.graph, "mm").flops.count, 60.0);    // 2 · 2 · 5 · 3
  EXPECT_EQ(GetOp(*imported.graph, "loss").flops.count, 10.0);  // one per element of mm
}

std::string TextValue(const std::string& text) {
  std::string value;
  protozero::pbf_writer(value).add_bytes(2, text);
  return value;
}

// The Einsum of `equation` over a [2, 3, 5, 7] and `right`.
ImportedGraph Einsum(const std::string& equation, const std::vector<std::int64_t>& right) {
  GraphDef graph;
  graph.Add("a", "Placeholder", {}, kFloat, {{2, 3, 5, 7}})
      .Add("b", "Placeholder", {}, kFloat, {right})
      .Add("e", "Einsum", {"a", "b"}, kFloat, {{2, 3}}, {{"equation", TextValue(equation)}});
  return ImportText(graph.bytes(), "graphdef");
}

TEST(TfGraphDefTest, AnEinsumOfTwoTensorsIsABatchOfProducts) {
  // b and h are in both and stay: 2·3 products [5, 7] × [7, 11].
  const auto scores = Einsum("bhqd,bhkd->bhqk", {2, 3, 11, 7});
  EXPECT_EQ(GetOp(*scores.graph, "e").flops.count, 2.0 * (2 * 3) * 5 * 7 * 11);
  EXPECT_TRUE(scores.summary.unknown.all().empty());
  // One product [2·3·5, 7] × [7, 11·13].
  const auto projected = Einsum("abcd,def->abcef", {7, 11, 13});
  EXPECT_EQ(GetOp(*projected.graph, "e").flops.count, 2.0 * (2 * 3 * 5) * 7 * (11 * 13));
}

TEST(TfGraphDefTest, AnEllipsisStandsForAxesThatBroadcast) {
  // 2·3·5 rows of 7.
  const auto dense = Einsum("...d,de->...e", {7, 11});
  EXPECT_EQ(GetOp(*dense.graph, "e").flops.count, 2.0 * (2 * 3 * 5) * 7 * 11);
  EXPECT_TRUE(dense.summary.unknown.all().empty());
}

TEST(TfGraphDefTest, OtherEinsumsAreCountedAsNotKnown) {
  for (const char* equation : {"abcd->ab", "abcd,xx->ab", "abc,cd->abd", ""}) {
    const auto imported = Einsum(equation, {7, 11});
    EXPECT_EQ(GetOp(*imported.graph, "e").flops.count, 0.0) << equation;
    EXPECT_FALSE(imported.summary.unknown.all().empty()) << equation;
  }
}

TEST(TfGraphDefTest, ConvolutionsAreReadInTheirLayout) {
  GraphDef graph;
  // image [1, 6, 4, 2] (height 6, width 4, 2 channels), filters [3, 1, 2, 5], stride 2 down: 2 × 4.
  graph.Add("image", "Placeholder", {}, kFloat, {{1, 6, 4, 2}})
      .Add("filter", "Placeholder", {}, kFloat, {{3, 1, 2, 5}})
      .Add("conv",
           "Conv2D",
           {"image", "filter"},
           kFloat,
           {{1, 2, 4, 5}},
           {{"strides", IntegersValue({1, 2, 1, 1})}});
  const ImportedGraph imported = ImportText(graph.bytes(), "graphdef");
  const OpId op = FindOp(*imported.graph, "conv");
  EXPECT_EQ(imported.graph->op(op).flops.count, 480.0);  // 2 · 40 results · 6 per filter
  const auto conv = std::get<sim::ConvShape>(*imported.graph->work_shape(op));
  EXPECT_EQ(conv.h, 6);
  EXPECT_EQ(conv.w, 4);
  EXPECT_EQ(conv.c, 2);
  EXPECT_EQ(conv.k, 5);
  EXPECT_EQ(conv.r, 3);
  EXPECT_EQ(conv.s, 1);
  EXPECT_EQ(conv.stride_h, 2);
  EXPECT_EQ(conv.stride_w, 1);
  EXPECT_EQ(conv.pad_h, 0);
}

TEST(TfGraphDefTest, InputsNameThePortTheyRead) {
  GraphDef graph;
  graph.Add("x", "Placeholder", {}, kFloat, {{4}})
      .Add("halves", "Split", {"x"}, kFloat, {{2}, {2}})
      .Add("neg", "Neg", {"halves:1"}, kFloat, {{2}});
  const ImportedGraph imported = ImportText(graph.bytes(), "graphdef");
  EXPECT_EQ(imported.graph->inputs(FindOp(*imported.graph, "neg"))[0],
            imported.graph->output(FindOp(*imported.graph, "halves"), 1));
}

TEST(TfGraphDefTest, MissingShapesAndUnknownTypesAreCounted) {
  GraphDef graph;
  graph.Add("x", "Placeholder", {}, kFloat, {})
      .Add("y", "Placeholder", {}, kFloat, {{2, 3}})
      .Add("sum", "Add", {"x", "y"}, kFloat, {})
      .Add("neg", "Neg", {"sum"}, kFloat, {})
      .Add("odd", "Frobnicate", {"neg"}, kFloat, {{2}});
  const ImportedGraph imported = ImportText(graph.bytes(), "graphdef");
  const ImportSummary& summary = imported.summary;
  EXPECT_EQ(summary.unknown.CountOf("source without a static shape, taken as 0 bytes"), 1U);
  EXPECT_EQ(
      summary.unknown.CountOf("output without a static shape, taken as its op's largest input"),
      2U);
  // 2·3 elements of 4 bytes, handed on from y to sum to neg.
  const sim::OpGraph& read = *imported.graph;
  EXPECT_EQ(read.tensor(read.output(FindOp(read, "neg"), 0)).bytes, Bytes{24});
  EXPECT_EQ(summary.unknown.CountOf("op type without a rule: no FLOPs, memory traffic alone"), 1U);
}

// x [?, 256] times [256, 512], as a model with an open batch is saved.
std::string OpenBatch() {
  GraphDef graph;
  graph.Add("x", "Placeholder", {}, kFloat, {{-1, 256}})
      .Add("w", "Placeholder", {}, kFloat, {{256, 512}})
      .Add("y", "MatMul", {"x", "w"}, kFloat, {{-1, 512}});
  return graph.bytes();
}

TEST(TfGraphDefTest, AnOpenBatchAsksForItsSize) {
  EXPECT_EQ(MessageOf(OpenBatch(), "graphdef"),
            "in: found the Placeholder \"x\" [-1, 256] with an extent that only a run knows, "
            "expected its size: --dim N (or --option dim=N) stands for all of them");
}

TEST(TfGraphDefTest, TheOptionDimStandsForUnknownExtents) {
  const auto imported = ImportText(OpenBatch(), "graphdef", Options({{"dim", std::int64_t{8}}}));
  EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 2.0 * 8 * 256 * 512);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "y"), 0)).bytes, Bytes{8 * 512 * 4});
  EXPECT_TRUE(imported.summary.unknown.all().empty());
}

TEST(TfGraphDefTest, AGraphWithoutShapesForItsProductsIsRefused) {
  GraphDef graph;
  graph.Add("x", "Placeholder", {}, kFloat, {})
      .Add("w", "Placeholder", {}, kFloat, {})
      .Add("y", "MatMul", {"x", "w"}, kFloat, {});
  EXPECT_EQ(MessageOf(graph.bytes(), "graphdef"),
            "in: found 1 products and convolutions and not enough shapes for one of them, expected "
            "shapes in attributes and constants; write the graph by as_graph_def(add_shapes=True)");
}

TEST(TfGraphDefTest, OptimisersReadAndWriteTheirVariables) {
  GraphDef graph;
  graph.Add("w", "Placeholder", {}, kResource, {{}})
      .Add("m", "Placeholder", {}, kResource, {{}})
      .Add("read", "ReadVariableOp", {"w"}, kFloat, {{3, 5}})
      .Add("read_m", "ReadVariableOp", {"m"}, kFloat, {{3, 5}})
      .Add("g", "Neg", {"read"}, kFloat, {{3, 5}})
      .Add("rate", "Const", {}, kFloat, {{}})
      .Add("set", "ResourceApplyMomentum", {"w", "m", "rate", "g", "rate"}, kFloat, {});
  const ImportedGraph imported = ImportText(graph.bytes(), "graphdef");
  EXPECT_EQ(GetOp(*imported.graph, "set").flops.count, 4.0 * 15);  // optimizer_step.cc
  // Two variables of 60 bytes read and written, a gradient of 60, two scalars of 4.
  EXPECT_EQ(GetOp(*imported.graph, "set").bytes_accessed, Bytes{4 * 60 + 60 + 8});
}

TEST(TfGraphDefTest, WrongInputsAreRefusedWithTheirPlace) {
  GraphDef graph;
  graph.Add("x", "Placeholder", {}, kFloat, {{2}})
      .Add("a", "Neg", {"nobody"}, kFloat, {{2}})
      .Add("x", "Neg", {"x:z"}, kFloat, {{2}});
  EXPECT_EQ(MessageOf(graph.bytes(), "graphdef"),
            "in#/node/2: found the name \"x\" again, expected it once");
  GraphDef other;
  other.Add("x", "Placeholder", {}, kFloat, {{2}})
      .Add("a", "Neg", {"nobody"}, kFloat, {{2}})
      .Add("b", "Neg", {"x:z"}, kFloat, {{2}});
  EXPECT_EQ(MessageOf(other.bytes(), "graphdef"),
            "in#/node/1: found the input \"nobody\", expected the name of a node\n"
            "in#/node/2: found the input \"x:z\", expected NODE:PORT with a port up to 65535");
}

TEST(TfGraphDefTest, CyclesAreRefused) {
  GraphDef graph;
  graph.Add("a", "Neg", {"b"}, kFloat, {{2}}).Add("b", "Neg", {"a"}, kFloat, {{2}});
  EXPECT_EQ(MessageOf(graph.bytes(), "graphdef"),
            "in: found the cycle \"a\" -> \"b\" -> \"a\", expected an acyclic graph (loops are not "
            "imported)");
}

struct Export {
  const char* file;
  const char* format;
  std::size_t nodes;
};

// Nodes by the README of the exports.
TEST(TfGraphDefTest, ReadsTheExportsWithAndWithoutCosts) {
  if (!std::filesystem::exists(kForeignGraphs)) {
    GTEST_SKIP() << "no exported graphs in " << kForeignGraphs;
  }
  for (const Export& expected :
       {Export{"tf_graphdef_train_InceptionV3_b32.pb.gz", "graphdef", 11209},
        Export{"tf_grappler_costed_InceptionV3_b32.json.gz", "costed", 11209},
        Export{"tf_graphdef_train_ResNet50_b32.pb.gz", "graphdef", 8489},
        Export{"tf_grappler_costed_ResNet50_b32.json.gz", "costed", 8489}}) {
    SCOPED_TRACE(expected.file);
    const ImportedGraph imported =
        ImportGraphFile(std::filesystem::path(kForeignGraphs) / "exported" / expected.file);
    EXPECT_EQ(imported.summary.format, expected.format);
    EXPECT_EQ(imported.summary.nodes_read, expected.nodes);
    std::size_t folded = 0;
    for (const Finding& finding : imported.summary.folded.all()) {
      folded += finding.count;
    }
    EXPECT_EQ(imported.graph->num_ops() + folded, expected.nodes);
  }
}

// 25.6 M weights of ResNet-50 and as many momenta, 4 bytes each.
TEST(TfGraphDefTest, FindsTheParametersOfResNet50) {
  const std::filesystem::path path =
      std::filesystem::path(kForeignGraphs) / "exported/tf_graphdef_train_ResNet50_b32.pb.gz";
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << "no " << path;
  }
  const ImportedGraph imported = ImportGraphFile(path);
  double parameters = 0.0;
  double flops = 0.0;
  for (const sim::Op& op : imported.graph->ops()) {
    parameters += static_cast<double>(op.param_bytes.count);
    flops += op.flops.count;
  }
  EXPECT_NEAR(parameters, 2 * 25.6e6 * 4, 0.01 * 2 * 25.6e6 * 4);
  // Three passes of 2 · 3.86 G multiply-adds per image (stride in the 1 × 1 convolutions).
  EXPECT_NEAR(flops, 3 * 2 * 3.86e9 * 32, 0.03 * 3 * 2 * 3.86e9 * 32);
}

}  // namespace
}  // namespace opyard::graphs
