// Calls, loops and conditionals of HLO text are opened.
#include <set>

#include <gtest/gtest.h>

#include "tests/graphs/importers/hlo/hlo_files.h"

namespace opyard::graphs {
namespace {

TEST(HloOpeningTest, ACallBecomesItsInnerOpsAndTheLastKeepsItsName) {
  const ImportedGraph imported = ImportHloFile("nested_call.hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.num_ops(), 6U);                                // p, x and four inner ones
  EXPECT_EQ(GetOp(graph, "call/a.0").flops.count, 8'388'608.0);  // 2 · 64 · 256 · 256
  EXPECT_EQ(GetOp(graph, "call/b.0").type, "tanh");
  EXPECT_EQ(GetOp(graph, "call/c.0").flops.count, 8'388'608.0);
  EXPECT_EQ(GetOp(graph, "call").type, "add");
  EXPECT_EQ(SourcesOf(graph, "call"), (std::vector<std::string>{"call/a.0", "call/c.0"}));
  EXPECT_EQ(SourcesOf(graph, "call/a.0"), (std::vector<std::string>{"x", "p"}));
}

TEST(HloOpeningTest, AScanOverLayersIsUnrolledAndMovesOnlySlicesOfItsWeights) {
  const ImportedGraph imported = ImportHloFile("scan_layers.hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(SumOfFlops(graph, "dot"), 268'435'456.0);  // 16 · 2 · 128 · 256 · 256
  EXPECT_EQ(graph.num_ops(), 50U);  // two parameters, 16 × (slice, reshape, dot)
  // The slice is read and written: 2 · 256 · 256 · 4 B. Its place is a constant.
  EXPECT_EQ(GetOp(graph, "while/3/slice").bytes_accessed, Bytes{524'288});
  EXPECT_EQ(SourcesOf(graph, "while/3/slice"), (std::vector<std::string>{"ws.2"}));
  EXPECT_EQ(SourcesOf(graph, "while/3/dot"),
            (std::vector<std::string>{"while/2/dot", "while/3/w"}));
  EXPECT_EQ(GetOp(graph, "while").type, "dot");  // of the last run
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

TEST(HloOpeningTest, ALoopBeyondTheLimitStandsOnceWithTheWorkOfAllRuns) {
  Options options;
  options.Set("unroll", std::int64_t{15});
  const ImportedGraph imported =
      ImportGraphFile("tests/fuzz/corpus/hlo_text/scan_layers.hlo", "", options);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.num_ops(), 5U);
  EXPECT_EQ(GetOp(graph, "while").flops.count, 268'435'456.0);
  EXPECT_EQ(GetOp(graph, "while/slice").bytes_accessed, Bytes{16 * 524'288});
  const auto gemm = std::get<sim::GemmShape>(*graph.work_shape(FindOp(graph, "while")));
  EXPECT_EQ(gemm.batch, 16);
  ASSERT_EQ(imported.summary.unknown.all().size(), 1U);
  EXPECT_EQ(imported.summary.unknown.all()[0].examples, (std::vector<std::string>{"while x 16"}));
}

// 12 layers of two products forward and four backward, and three around the embedding; each of the
// 75 does 2 · 32 · 128 · 512 = 4194304 FLOPs.
TEST(HloOpeningTest, AScannedTrainingStepDoesTheProductsOfItsLayers) {
  const ImportedGraph imported = ImportHloFile("scan_train.hlo.txt");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(CountOfType(graph, "dot"), 75U);
  EXPECT_EQ(SumOfFlops(graph, "dot"), 314'572'800.0);
  EXPECT_EQ(CountOfType(graph, "call") + CountOfType(graph, "while"), 0U);
  std::set<std::string> names;
  for (const sim::Op& op : graph.ops()) {
    names.insert(op.name);
  }
  EXPECT_EQ(names.size(), graph.num_ops());
  // The loss comes first in the root; then emb, w1 and w2: (512 · 128 + 2 · 12 · 128 · 512) · 4 B.
  EXPECT_EQ(SumOfParameters(graph), Bytes{6'553'600});
}

TEST(HloOpeningTest, AStepWithinJitDoesTheSame) {
  const ImportedGraph imported = ImportHloFile("nested_jit.hlo.txt");
  EXPECT_EQ(CountOfType(*imported.graph, "dot"), 75U);
  EXPECT_EQ(SumOfFlops(*imported.graph, "dot"), 314'572'800.0);
  EXPECT_EQ(CountOfType(*imported.graph, "call"), 0U);
}

TEST(HloOpeningTest, TheDearestBranchOfAConditionalIsOpened) {
  const ImportedGraph imported = ImportHloFile("conditional.hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "r").flops.count, 33'554'432.0);  // 2 · 256³
  EXPECT_EQ(imported.summary.unknown.all().size(), 1U);
  const auto waits = graph.control_inputs(FindOp(graph, "r"));
  ASSERT_EQ(waits.size(), 1U);  // for the predicate
  EXPECT_EQ(graph.op(waits[0]).name, "c");
}

const char* const kBranches = R"(
one {
  p = f32[8,8] parameter(0)
  ROOT d = f32[8,8] negate(p)
}
two {
  p = f32[8,8] parameter(0)
  ROOT d = f32[8,8] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

TEST(HloOpeningTest, BranchesByNumberAreOpenedToo) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  i = s32[] parameter(0)\n  x = f32[8,8] parameter(1)\n"
                  "  ROOT r = f32[8,8] conditional(i, x, x), branch_computations={one, two}\n",
                  kBranches),
      "hlo");
  EXPECT_EQ(GetOp(*imported.graph, "r").flops.count, 1024.0);  // 2 · 8³
}

TEST(HloOpeningTest, AConstantPredicateSaysTheBranch) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  i = s32[] constant(0)\n  x = f32[8,8] parameter(0)\n"
                  "  ROOT r = f32[8,8] conditional(i, x, x), branch_computations={one, two}\n",
                  kBranches),
      "hlo");
  EXPECT_EQ(GetOp(*imported.graph, "r").type, "negate");
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

// A loop over s32 counters: what the condition and the body say, and how often that runs.
struct Counted {
  const char* start;
  const char* step;  // instruction that makes `next` of `i` and `s`
  const char* step_size;
  const char* bound;
  const char* direction;
  std::size_t trips;
};

class HloTripCountTest : public ::testing::TestWithParam<Counted> {};

TEST_P(HloTripCountTest, IsCountedFromTheCondition) {
  const Counted& loop = GetParam();
  const std::string text =
      "body {\n  s = (s32[], f32[4], s32[]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  x = f32[4] get-tuple-element(s), index=1\n"
      "  n = s32[] get-tuple-element(s), index=2\n  c = s32[] constant(" +
      std::string(loop.step_size) + ")\n  next = s32[] " + loop.step +
      "(i, c)\n  y = f32[4] negate(x)\n"
      "  ROOT t = (s32[], f32[4], s32[]) tuple(next, y, n)\n}\n"
      "condition {\n  s = (s32[], f32[4], s32[]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] get-tuple-element(s), index=2\n"
      "  ROOT c = pred[] compare(i, n), direction=" +
      loop.direction + "\n}\n";
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[4] parameter(0)\n  a = s32[] constant(" + std::string(loop.start) +
                      ")\n  n = s32[] constant(" + loop.bound +
                      ")\n  t = (s32[], f32[4], s32[]) tuple(a, x, n)\n"
                      "  w = (s32[], f32[4], s32[]) while(t), condition=condition, body=body\n"
                      "  ROOT y = f32[4] get-tuple-element(w), index=1\n",
                  text),
      "hlo");
  EXPECT_EQ(CountOfType(*imported.graph, "negate"), loop.trips);
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Loops,
                         HloTripCountTest,
                         ::testing::Values(Counted{"0", "add", "1", "5", "LT", 5},
                                           Counted{"0", "add", "2", "5", "LT", 3},
                                           Counted{"1", "add", "2", "5", "LE", 3},
                                           Counted{"9", "add", "-3", "0", "GT", 3},
                                           Counted{"9", "subtract", "3", "0", "GE", 4},
                                           Counted{"2", "add", "3", "11", "NE", 3},
                                           Counted{"7", "add", "1", "5", "LT", 0}));

TEST(HloOpeningTest, ALoopThatDataEndStandsOnceBehindItsCondition) {
  const std::string text =
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "body {\n  x = f32[8,8] parameter(0)\n"
      "  ROOT d = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"
      "condition {\n  x = f32[8,8] parameter(0)\n  z = f32[] constant(0)\n"
      "  sum = f32[] reduce(x, z), dimensions={0,1}, to_apply=add\n"
      "  ROOT c = pred[] compare(sum, z), direction=GT\n}\n";
  const ImportedGraph imported =
      ImportText(HloModuleOf("  x = f32[8,8] parameter(0)\n"
                             "  ROOT w = f32[8,8] while(x), condition=condition, body=body\n",
                             text),
                 "hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "w").flops.count, 1024.0);
  EXPECT_EQ(GetOp(graph, "w/condition/sum").flops.count, 64.0);
  const auto waits = graph.control_inputs(FindOp(graph, "w"));
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(graph.op(waits[0]).name, "w/condition/c");
  EXPECT_EQ(imported.summary.unknown.all().size(), 1U);
}

// Each level calls the one below it twice: 2^30 negations, were they opened.
TEST(HloOpeningTest, WhatWouldBecomeTooLargeStaysClosed) {
  std::string text = "f0 {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}\n";
  for (int level = 1; level <= 30; ++level) {
    const std::string below = "f" + std::to_string(level - 1);
    text += "f" + std::to_string(level) + " {\n  p = f32[2] parameter(0)\n  a = f32[2] call(p), " +
            "to_apply=" + below + "\n  ROOT b = f32[2] call(a), to_apply=" + below + "\n}\n";
  }
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[2] parameter(0)\n  ROOT y = f32[2] call(x), to_apply=f30\n", text),
      "hlo");
  EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 2'147'483'648.0);  // 2 · 2^30
  EXPECT_EQ(imported.graph->num_ops(), 2U);
}

TEST(HloOpeningTest, CyclesAndDeepNestsAreRefused) {
  EXPECT_EQ(MessageOf(HloModuleOf("  x = f32[2] parameter(0)\n"
                                  "  ROOT y = f32[2] call(x), to_apply=main\n"),
                      "hlo"),
            "in: found the computation \"main\", which calls itself, expected calls without a "
            "cycle");
  std::string text = "f0 {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}\n";
  for (int level = 1; level <= 200; ++level) {
    text += "f" + std::to_string(level) + " {\n  p = f32[2] parameter(0)\n  ROOT a = f32[2] " +
            "call(p), to_apply=f" + std::to_string(level - 1) + "\n}\n";
  }
  EXPECT_NE(MessageOf(HloModuleOf("  x = f32[2] parameter(0)\n"
                                  "  ROOT y = f32[2] call(x), to_apply=f200\n",
                                  text),
                      "hlo")
                .find("nested beyond 128 levels"),
            std::string::npos);
}

TEST(HloOpeningTest, LargeConstantsOfALoopStayOnce) {
  const std::string text =
      "body {\n  s = (s32[], f32[512]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
      "  x = f32[512] get-tuple-element(s), index=1\n  table = f32[512] constant({...})\n"
      "  y = f32[512] add(x, table)\n  ROOT t = (s32[], f32[512]) tuple(next, y)\n}\n"
      "condition {\n  s = (s32[], f32[512]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(3)\n"
      "  ROOT c = pred[] compare(i, n), direction=LT\n}\n";
  const ImportedGraph imported =
      ImportText(HloModuleOf("  x = f32[512] parameter(0)\n  a = s32[] constant(0)\n"
                             "  t = (s32[], f32[512]) tuple(a, x)\n"
                             "  w = (s32[], f32[512]) while(t), condition=condition, body=body\n"
                             "  ROOT y = f32[512] get-tuple-element(w), index=1\n",
                             text),
                 "hlo");
  EXPECT_EQ(CountOfType(*imported.graph, "add"), 3U);
  EXPECT_EQ(SumOfParameters(*imported.graph), Bytes{2048});
}

TEST(HloOpeningTest, CountersThatACompilerFusedCostNothingEither) {
  const std::string text =
      "fused {\n  p = s32[] parameter(0)\n  one = s32[] constant(1)\n"
      "  ROOT s = s32[] add(p, one)\n}\n"
      "body {\n  s = (s32[], f32[4]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  c = s32[] copy(i)\n  next = s32[] fusion(c), kind=kLoop, calls=fused\n"
      "  x = f32[4] get-tuple-element(s), index=1\n  y = f32[4] negate(x)\n"
      "  ROOT t = (s32[], f32[4]) tuple(next, y)\n}\n"
      "condition {\n  s = (s32[], f32[4]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(3)\n"
      "  ROOT c = pred[] compare(i, n), direction=LT\n}\n";
  const ImportedGraph imported =
      ImportText(HloModuleOf("  x = f32[4] parameter(0)\n  a = s32[] constant(0)\n"
                             "  t = (s32[], f32[4]) tuple(a, x)\n"
                             "  w = (s32[], f32[4]) while(t), condition=condition, body=body\n"
                             "  ROOT y = f32[4] get-tuple-element(w), index=1\n",
                             text),
                 "hlo");
  EXPECT_EQ(imported.graph->num_ops(), 4U);  // x and three negations
}

}  // namespace
}  // namespace opyard::graphs
