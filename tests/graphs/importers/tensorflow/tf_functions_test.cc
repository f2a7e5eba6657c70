// Calls, branches and loops of GraphDefs are opened.
#include <gmock/gmock.h>

#include "tests/graphs/importers/tensorflow/graph_text.h"

namespace opyard::graphs {
namespace {

using ::testing::HasSubstr;

// A function of the library; `nodes` are of the field node_def.
std::string Function(const std::string& name,
                     const std::vector<std::string>& arguments,
                     const std::string& nodes,
                     const std::vector<std::string>& returns) {
  std::string text = "library { function { signature { name: \"" + name + "\" ";
  for (const std::string& argument : arguments) {
    text += "input_arg { name: \"" + argument + "\" } ";
  }
  for (std::size_t i = 0; i < returns.size(); ++i) {
    text += "output_arg { name: \"r" + std::to_string(i) + "\" } ";
  }
  text += "}\n" + nodes;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    text += "ret { key: \"r" + std::to_string(i) + "\" value: \"" + returns[i] + "\" } ";
  }
  return text + "} }\n";
}

std::string Inner(const std::string& name,
                  const std::string& op,
                  const std::vector<std::string>& inputs,
                  const std::string& attributes = "") {
  return Node(name, op, inputs, attributes, "node_def");
}

std::string InnerScalar(const std::string& name, std::int64_t number) {
  return Inner(name, "Const", {}, ConstAttrs({number}, true));
}

ImportedGraph Import(const std::string& text, Options options = {}) {
  return ImportText(text, "graphdef", std::move(options));
}

double TotalFlops(const ImportedGraph& imported) {
  double flops = 0.0;
  for (const sim::Op& op : imported.graph->ops()) {
    flops += op.flops.count;
  }
  return flops;
}

std::vector<std::string> NamesOf(const ImportedGraph& imported) {
  std::vector<std::string> names;
  for (const sim::Op& op : imported.graph->ops()) {
    names.push_back(op.name);
  }
  return names;
}

// x [2, 3] and w [3, 5].
std::string Inputs() {
  return Placeholder("x", {2, 3}) + Placeholder("w", {3, 5});
}

std::string Dense() {
  return Function("dense",
                  {"a", "b"},
                  Inner("mm", "MatMul", {"a", "b"}) + Inner("act", "Relu", {"mm:product:0"}) +
                      Inner("same", "Identity", {"act:activations:0"}),
                  {"same:output:0"});
}

TEST(TfFunctionTest, TheLastOpOfACallKeepsItsName) {
  const auto imported =
      Import(Inputs() + Node("call", "PartitionedCall", {"x", "w"}, FunctionAttr("f", "dense")) +
             Node("y", "Neg", {"call"}) + Dense());
  EXPECT_EQ(NamesOf(imported), (std::vector<std::string>{"x", "w", "call/mm", "call", "y"}));
  EXPECT_EQ(GetOp(*imported.graph, "call").type, "Relu");
  EXPECT_EQ(SourcesOf(*imported.graph, "y"), std::vector<std::string>{"call"});
  EXPECT_EQ(GetOp(*imported.graph, "call/mm").flops.count, 60.0);  // 2 · 2 · 3 · 5
}

TEST(TfFunctionTest, AFunctionIsAlsoCalledByItsName) {
  const auto imported = Import(Inputs() + Node("call", "dense", {"x", "w"}) + Dense());
  EXPECT_EQ(TotalFlops(imported), 60.0 + 10.0);  // and one per element of Relu
}

TEST(TfFunctionTest, CallsWithinCallsAreOpened) {
  const auto imported = Import(
      Inputs() + Node("call", "StatefulPartitionedCall", {"x", "w"}, FunctionAttr("f", "outer")) +
      Dense() +
      Function("outer",
               {"a", "b"},
               Inner("one", "PartitionedCall", {"a", "b"}, FunctionAttr("f", "dense")) +
                   Inner("two", "dense", {"a", "b"}) +
                   Inner("sum", "AddV2", {"one:output:0", "two:r0:0"}),
               {"sum:z:0"}));
  EXPECT_EQ(NamesOf(imported),
            (std::vector<std::string>{
                "x", "w", "call/one/mm", "call/one", "call/two/mm", "call/two", "call"}));
  EXPECT_EQ(TotalFlops(imported), 2 * 70.0 + 10.0);
}

TEST(TfFunctionTest, WhatTheResultsOfAFunctionDoNotNeedIsLeftOut) {
  const auto imported =
      Import(Inputs() + Node("call", "PartitionedCall", {"x", "w"}, FunctionAttr("f", "lazy")) +
             Function("lazy",
                      {"a", "b"},
                      Inner("dead", "MatMul", {"a", "b"}) + Inner("n", "Neg", {"a"}),
                      {"n:y:0"}));
  EXPECT_EQ(TotalFlops(imported), 6.0);
  EXPECT_EQ(imported.summary.folded.CountOf("node of a function that its results do not need"), 1U);
}

TEST(TfFunctionTest, TheOptionOutputsLeavesOutTheRestOfTheGraph) {
  const std::string text = Inputs() + Node("dead", "MatMul", {"x", "w"}) + Node("y", "Neg", {"x"});
  EXPECT_EQ(TotalFlops(Import(text)), 66.0);
  EXPECT_EQ(TotalFlops(Import(text, Options({{"outputs", std::string("y:0")}}))), 6.0);
  EXPECT_THROW(static_cast<void>(Import(text, Options({{"outputs", std::string("z")}}))),
               InputError);
}

TEST(TfFunctionTest, FunctionsThatCallThemselvesAreRefused) {
  const std::string text =
      Inputs() + Node("call", "PartitionedCall", {"x"}, FunctionAttr("f", "loop")) +
      Function("loop",
               {"a"},
               Inner("again", "PartitionedCall", {"a"}, FunctionAttr("f", "loop")),
               {"again:output:0"});
  EXPECT_EQ(MessageOf(text, "graphdef"),
            "in#/library/function/loop/node/0: found that the function \"loop\" calls itself, "
            "expected no recursion");
}

// Each of 40 functions calls the next twice: 2^40 nodes.
TEST(TfFunctionTest, CallsThatDoubleAreRefusedBeforeTheyFillTheMemory) {
  std::string text = Inputs() + Node("call", "f0", {"x"});
  for (int i = 0; i < 40; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    text += Function("f" + std::to_string(i),
                     {"a"},
                     Inner("l", next, {"a"}) + Inner("r", next, {"l:r0:0"}),
                     {"r:r0:0"});
  }
  text += Function("f40", {"a"}, Inner("n", "Neg", {"a"}), {"n:y:0"});
  EXPECT_THAT(MessageOf(text, "graphdef"), HasSubstr("expected at most 1048576"));
}

TEST(TfFunctionTest, AnOpenSignatureTakesUnknownNamesForArguments) {
  const auto imported =
      Import(Inputs() + Node("call", "PartitionedCall", {"x", "w"}, FunctionAttr("f", "inner")) +
             Function("inner", {}, Inner("mm", "MatMul", {"x", "w"}), {}));
  EXPECT_EQ(GetOp(*imported.graph, "call").flops.count, 60.0);
  EXPECT_FALSE(imported.summary.unknown.all().empty());
}

TEST(TfFunctionTest, ControlEdgesOfACallHoldForItsOps) {
  const auto imported =
      Import(Inputs() + Node("before", "Neg", {"w"}) +
             Node("call", "PartitionedCall", {"x", "w", "^before"}, FunctionAttr("f", "dense")) +
             Node("after", "Neg", {"x", "^call"}) + Dense());
  const sim::OpGraph& graph = *imported.graph;
  ASSERT_EQ(graph.control_inputs(FindOp(graph, "call/mm")).size(), 1U);
  EXPECT_EQ(graph.control_inputs(FindOp(graph, "call/mm"))[0], FindOp(graph, "before"));
  ASSERT_EQ(graph.control_inputs(FindOp(graph, "after")).size(), 1U);
  EXPECT_EQ(graph.control_inputs(FindOp(graph, "after"))[0], FindOp(graph, "call"));
}

TEST(TfFunctionTest, PlaceholdersOfAttributesAreThoseOfTheCall) {
  const std::string attribute =
      Attr("f", "func { name: \"cast\" attr { key: \"U\" value { type: DT_HALF } } }");
  const auto imported = Import(
      Inputs() + Node("call", "PartitionedCall", {"x"}, attribute) +
      Function(
          "cast", {"a"}, Inner("c", "Cast", {"a"}, Attr("DstT", "placeholder: \"U\"")), {"c:y:0"}));
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "call"), 0)).bytes, Bytes{12});  // 6 halves
}

std::string Branches() {
  return Function("cheap", {"a", "b"}, Inner("n", "Neg", {"a"}), {"n:y:0"}) + Dense();
}

TEST(TfFunctionTest, TheDearestBranchIsTaken) {
  const std::string attributes =
      FunctionAttr("then_branch", "cheap") + FunctionAttr("else_branch", "dense");
  const auto imported = Import(Inputs() + Placeholder("p", {}, "DT_BOOL") +
                               Node("y", "StatelessIf", {"p", "x", "w"}, attributes) + Branches());
  EXPECT_EQ(TotalFlops(imported), 70.0);
  EXPECT_EQ(imported.summary.unknown.CountOf(
                "branch that only a run chooses, taken to be the one of the most FLOPs"),
            1U);
}

TEST(TfFunctionTest, AConstantConditionChoosesItsBranch) {
  const std::string attributes =
      FunctionAttr("then_branch", "cheap") + FunctionAttr("else_branch", "dense");
  const auto imported =
      Import(Inputs() + Scalar("p", 1) + Node("y", "If", {"p", "x", "w"}, attributes) + Branches());
  EXPECT_EQ(TotalFlops(imported), 6.0);  // one per element of x
  EXPECT_TRUE(imported.summary.unknown.all().empty());
  const auto last =
      Import(Inputs() + Scalar("p", 9) +
             Node("y",
                  "Case",
                  {"p", "x", "w"},
                  Attr("branches", "list { func: [{ name: \"cheap\" }, { name: \"dense\" }] }")) +
             Branches());
  EXPECT_EQ(TotalFlops(last), 70.0);
}

// i < limit; i + 1, x · w.
std::string Loop(std::int64_t limit) {
  return Placeholder("x", {2, 3}) + Placeholder("w", {3, 3}) + Scalar("zero", 0) +
         Scalar("limit", limit) +
         Node("loop",
              "StatelessWhile",
              {"zero", "x", "w", "limit"},
              FunctionAttr("cond", "less") + FunctionAttr("body", "step")) +
         Node("y", "Neg", {"loop:1"}) +
         Function("less", {"i", "a", "b", "n"}, Inner("c", "Less", {"i", "n"}), {"c:z:0"}) +
         Function("step",
                  {"i", "a", "b", "n"},
                  InnerScalar("one", 1) +
                      Inner("next", "AddV2", {"i", "one:output:0"}, Attr("T", "type: DT_INT32")) +
                      Inner("mm", "MatMul", {"a", "b"}),
                  {"next:z:0", "mm:product:0", "b", "n"});
}

TEST(TfFunctionTest, ALoopWithAConstantCountIsUnrolled) {
  const auto imported = Import(Loop(3));
  EXPECT_EQ(TotalFlops(imported), 3 * 36.0 + 6.0);  // 2 · 2 · 3 · 3 each, and Neg
  EXPECT_EQ(SourcesOf(*imported.graph, "loop/1/mm"), (std::vector<std::string>{"loop/0/mm", "w"}));
  EXPECT_TRUE(imported.summary.unknown.all().empty());
}

TEST(TfFunctionTest, ALongLoopStandsOnceWithAllItsWork) {
  const auto imported = Import(Loop(1000), Options({{"unroll", std::int64_t{10}}}));
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "loop").flops.count, 36'000.0);
  // 24 bytes of a, 36 of b and 24 of the product, a thousand times.
  EXPECT_EQ(GetOp(graph, "loop").bytes_accessed, Bytes{84'000});
  EXPECT_EQ(imported.summary.unknown.all()[0].examples[0], "loop (1000)");
}

// 2^31 - 1 iterations of four nodes: counting them would take an hour, and a row of such loops has
// no more time than one.
TEST(TfFunctionTest, LoopsThatAreLongerThanCanBeCountedRunOnce) {
  std::string text = Loop(2'147'483'647);
  for (int i = 0; i < 8; ++i) {
    text += Node("more" + std::to_string(i),
                 "StatelessWhile",
                 {"zero", "x", "w", "limit"},
                 FunctionAttr("cond", "less") + FunctionAttr("body", "step"));
  }
  const auto imported = Import(text);
  EXPECT_EQ(TotalFlops(imported), 9 * 36.0 + 6.0);
  EXPECT_EQ(imported.summary.unknown.CountOf(
                "loop whose number of iterations only a run knows: its ops run once"),
            9U);
}

TEST(TfFunctionTest, ALoopThatNothingCountsRunsOnce) {
  std::string text = Loop(3);
  const std::string limit = Scalar("limit", 3);
  text.replace(text.find(limit), limit.size(), Placeholder("limit", {}, "DT_INT32"));
  const auto imported = Import(text);
  EXPECT_EQ(TotalFlops(imported), 36.0 + 6.0);
  EXPECT_EQ(imported.summary.unknown.CountOf(
                "loop whose number of iterations only a run knows: its ops run once"),
            1U);
}

// Each iteration writes a row of [4, 2, 3], as a recurrent layer of Keras does.
TEST(TfFunctionTest, ListsOfTensorsHoldTheShapesOfTheirElements) {
  const auto graph = Expanded(
      Placeholder("x", {4, 2, 5}) + List("shape", {-1, 5}) + List("row", {2, 5}) + Scalar("k", 1) +
      Node("rows", "TensorListFromTensor", {"x", "row"}, Attr("element_dtype", "type: DT_FLOAT")) +
      Node("out", "TensorListReserve", {"shape", "k"}, Attr("element_dtype", "type: DT_FLOAT")) +
      Node("item",
           "TensorListGetItem",
           {"rows", "k", "row"},
           Attr("element_dtype", "type: DT_FLOAT")) +
      Node("set", "TensorListSetItem", {"out", "k", "item"}) +
      Node("y",
           "TensorListStack",
           {"set", "shape"},
           IntegerAttr("num_elements", 7) + Attr("element_dtype", "type: DT_FLOAT")));
  EXPECT_EQ(ShapeIn(graph, "item"), (Shape{2, 5}));
  EXPECT_EQ(ShapeIn(graph, "y"), (Shape{7, 2, 5}));
}

// The flow of a TensorArray stands for its rows of [5].
TEST(TfFunctionTest, TensorArraysHoldTheShapesOfTheirElements) {
  const std::string type = Attr("dtype", "type: DT_FLOAT");
  const auto graph = Expanded(Placeholder("x", {4, 5}) + Scalar("n", 4) + List("i", {0, 1, 2}) +
                              Node("ta", "TensorArrayV3", {"n"}, type) +
                              Node("rows", "TensorArrayScatterV3", {"ta", "i", "x", "ta:1"}) +
                              Node("item", "TensorArrayReadV3", {"ta", "n", "rows"}, type) +
                              Node("all", "TensorArrayGatherV3", {"ta", "i", "rows"}, type));
  EXPECT_EQ(ShapeIn(graph, "item"), (Shape{5}));
  EXPECT_EQ(ShapeIn(graph, "all"), (Shape{3, 5}));
}

// The nodes that tf.while_loop of TensorFlow 1 leaves behind: i < `limit`; i + 1, a · w.
std::string OldLoop(const std::string& limit) {
  const auto enter = [](const std::string& name, const std::string& input) {
    return Node(name, "Enter", {input}, TextAttr("frame_name", "loop"));
  };
  return Placeholder("x", {2, 3}) + Placeholder("w", {3, 3}) + Scalar("zero", 0) + limit +
         enter("i0", "zero") + enter("a0", "x") + enter("n", "limit") + enter("b", "w") +
         Node("i", "Merge", {"i0", "i_next"}) + Node("a", "Merge", {"a0", "a_next"}) +
         Node("less", "Less", {"i", "n"}) + Node("cond", "LoopCond", {"less"}) +
         Node("i_switch", "Switch", {"i", "cond"}) + Node("a_switch", "Switch", {"a", "cond"}) +
         Node("one", "Const", {"^i_switch"}, ConstAttrs({1}, true)) +
         Node("add", "AddV2", {"i_switch:1", "one"}, Attr("T", "type: DT_INT32")) +
         Node("mm", "MatMul", {"a_switch:1", "b"}) + Node("i_next", "NextIteration", {"add"}) +
         Node("a_next", "NextIteration", {"mm"}) + Node("exit", "Exit", {"a_switch"}) +
         Node("y", "Neg", {"exit"});
}

TEST(TfFunctionTest, LoopsOfTensorFlow1StandOnceWithAllTheirWork) {
  const auto imported = Import(OldLoop(Scalar("limit", 7)));
  EXPECT_EQ(GetOp(*imported.graph, "mm").flops.count, 7 * 36.0);  // 2 · 2 · 3 · 3 each
  EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 6.0);
  EXPECT_EQ(imported.summary.unknown.all()[0].examples[0], "loop (7)");
}

TEST(TfFunctionTest, LoopsOfTensorFlow1ThatNothingCountsRunOnce) {
  const auto imported = Import(OldLoop(Placeholder("limit", {}, "DT_INT32")));
  EXPECT_EQ(GetOp(*imported.graph, "mm").flops.count, 36.0);
  EXPECT_EQ(imported.summary.unknown.CountOf("loop of TensorFlow 1 whose number of iterations only "
                                             "a run knows: its ops run once"),
            1U);
}

}  // namespace
}  // namespace opyard::graphs
