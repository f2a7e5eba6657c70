// HLO texts: small ones by hand, and the exports that stand outside the project.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

std::string Module(const std::string& entry) {
  return "HloModule small\n\nENTRY main {\n" + entry + "}\n";
}

// One step: w [3, 5] is given back, x [2, 3] is not.
const char* const kEntry = R"(  w = f32[3,5]{1,0} parameter(0)
  x = f32[2,3]{1,0} parameter(1)
  dot.1 = f32[2,5]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/jvp(f)/dot"}
  c = f32[] constant(2)
  b = f32[3,5]{1,0} broadcast(c), dimensions={}
  back = f32[3,5]{1,0} dot(x, dot.1), lhs_contracting_dims={0}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/transpose(jvp(f))/dot"}
  new = f32[3,5]{1,0} multiply(back, b)
  flat = f32[15]{0} reshape(new)
  pair = (f32[3,5]{1,0}, /*index=1*/f32[15]{0}) tuple(new, flat)
  one = f32[15]{0} get-tuple-element(pair), index=1
  loss = f32[] reduce(one, c), dimensions={0}, to_apply=add
  ROOT out = (f32[3,5]{1,0}, f32[]) tuple(new, loss)
)";

TEST(HloTextTest, DotsGetTheirFlopsAndShape) {
  const ImportedGraph imported = ImportText(Module(kEntry), "hlo");
  const OpId dot = FindOp(*imported.graph, "dot.1");
  EXPECT_EQ(imported.graph->op(dot).flops.count, 60.0);  // 2 · 2 · 5 · 3
  const auto gemm = std::get<sim::GemmShape>(*imported.graph->work_shape(dot));
  EXPECT_EQ(gemm.m, 2);
  EXPECT_EQ(gemm.n, 5);
  EXPECT_EQ(gemm.k, 3);
  EXPECT_EQ(imported.graph->op(dot).phase, sim::Phase::kForward);
  EXPECT_EQ(GetOp(*imported.graph, "back").phase, sim::Phase::kBackward);
  EXPECT_THAT(imported.graph->module_paths(), ::testing::ElementsAre("f"));  // of both
  EXPECT_EQ(GetOp(*imported.graph, "back").module, 0);
  EXPECT_FALSE(GetOp(*imported.graph, "new").module.has_value());
}

TEST(HloTextTest, TuplesAndSelectionsAreFoldedAndCounted) {
  const ImportedGraph imported = ImportText(Module(kEntry), "hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(imported.summary.nodes_read, 12U);
  EXPECT_EQ(graph.num_ops(), 8U);  // without c, pair, one, out
  EXPECT_EQ(imported.summary.folded.CountOf("tuple"), 2U);
  EXPECT_EQ(imported.summary.folded.CountOf("get-tuple-element"), 1U);
  EXPECT_EQ(SourcesOf(graph, "loss"), (std::vector<std::string>{"flat"}));
  EXPECT_TRUE(graph.tensor(graph.output(FindOp(graph, "new"), 0)).keep);
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "flat"), 0)).alias, sim::Alias::kInput);
  EXPECT_EQ(GetOp(graph, "loss").flops.count, 15.0);
}

TEST(HloTextTest, ParametersThatTheRootGivesBackAreVariables) {
  const ImportedGraph imported = ImportText(Module(kEntry), "hlo");
  EXPECT_EQ(GetOp(*imported.graph, "w").type, "Variable");
  EXPECT_EQ(GetOp(*imported.graph, "w").param_bytes, Bytes{60});
  EXPECT_EQ(GetOp(*imported.graph, "x").type, "Placeholder");  // [2, 3] is not the loss's shape
}

TEST(HloTextTest, FusionsCostTheSumOfWhatTheyCall) {
  const std::string text = R"(HloModule m
%fused (a: f32[2,5]) -> f32[2,5] {
  %a = f32[2,5]{1,0} parameter(0)
  %t = f32[2,5]{1,0} tanh(f32[2,5]{1,0} %a)
  ROOT %m = f32[2,5]{1,0} multiply(%t, %a)
}
ENTRY %main (x: f32[2,5]) -> f32[2,5] {
  %x = f32[2,5]{1,0} parameter(0)
  ROOT %f = f32[2,5]{1,0} fusion(%x), kind=kLoop, calls=%fused, backend_config={"a":["2"]}
}
)";
  const ImportedGraph imported = ImportText(text, "hlo");
  EXPECT_EQ(imported.graph->num_ops(), 2U);
  EXPECT_EQ(GetOp(*imported.graph, "f").flops.count, 60.0);  // 10 elements · (5 + 1)
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

TEST(HloTextTest, PassesOfAConvolutionDoTheSameWork) {
  // image [1, 6, 6, 2], filter [2, 2, 2, 5], stride 2: result [1, 3, 3, 5]; each pass does
  // 2 · 45 results · 8 elements of a filter = 720.
  const ImportedGraph imported = ImportText(
      Module("  x = f32[1,6,6,2] parameter(0)\n"
             "  w = f32[2,2,2,5] parameter(1)\n"
             "  y = f32[1,3,3,5] convolution(x, w), window={size=2x2 stride=2x2}, "
             "dim_labels=b01f_01io->b01f\n"
             "  gx = f32[1,6,6,2] convolution(y, w), window={size=2x2 pad=1_1x1_1 "
             "lhs_dilate=2x2}, dim_labels=b01f_01oi->b01f\n"
             "  ROOT gw = f32[2,2,2,5] convolution(x, y), window={size=3x3 pad=0_-1x0_-1 "
             "rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf\n"),
      "hlo");
  for (const auto& [name, pass] : {std::pair{"y", sim::ConvPass::kForward},
                                   std::pair{"gx", sim::ConvPass::kBackwardData},
                                   std::pair{"gw", sim::ConvPass::kBackwardWeight}}) {
    SCOPED_TRACE(name);
    const OpId op = FindOp(*imported.graph, name);
    EXPECT_EQ(imported.graph->op(op).flops.count, 720.0);
    ASSERT_NE(imported.graph->work_shape(op), nullptr);
    const auto conv = std::get<sim::ConvShape>(*imported.graph->work_shape(op));
    EXPECT_EQ(conv.pass, pass);
    EXPECT_EQ(conv.h, 6);
    EXPECT_EQ(conv.c, 2);
    EXPECT_EQ(conv.k, 5);
    EXPECT_EQ(conv.r, 2);
    EXPECT_EQ(conv.stride_w, 2);
  }
}

TEST(HloTextTest, InstructionsWithoutARuleAreCounted) {
  const ImportedGraph imported =
      ImportText(Module("  x = f32[4] parameter(0)\n"
                        "  ROOT y = f32[4] custom-call(x), custom_call_target=\"f(\"\n"),
                 "hlo");
  ASSERT_EQ(imported.summary.unknown.all().size(), 1U);
  EXPECT_EQ(imported.summary.unknown.all()[0].examples, (std::vector<std::string>{"f("}));
}

TEST(HloTextTest, WrongLinesAreRefusedWithTheirPlace) {
  EXPECT_EQ(MessageOf(Module("  x = f32[4] negate(y)\n"), "hlo"),
            "in:4: found the operand \"y\", expected an instruction that stands before");
  EXPECT_EQ(MessageOf(Module("  x = f32[4 parameter(0)\n"), "hlo"),
            "in:4: found \"f32[4 parameter(0)\", expected a shape like f32[2,3]");
  EXPECT_EQ(MessageOf("HloModule m\n", "hlo"), "in: found no ENTRY computation, expected one");
  EXPECT_EQ(MessageOf(Module("  x = f32[4] parameter(0)\n"
                             "  t = (f32[4]) tuple(x)\n"
                             "  y = f32[4] get-tuple-element(t), index=3\n"),
                      "hlo"),
            "in: instruction \"y\": found the index 3, expected one of 1 elements");
}

struct Export {
  const char* file;
  std::size_t nodes;
  std::size_t states;  // Variables
};

// Instructions of ENTRY. Steps give back weights, statistics and optimiser state: all parameters
// but images or tokens and labels.
TEST(HloTextTest, ReadsTheExports) {
  if (!std::filesystem::exists(kForeignGraphs)) {
    GTEST_SKIP() << "no exported graphs in " << kForeignGraphs;
  }
  for (const Export& expected :
       {Export{"jax_hlo_cpuopt_train_resnet50_b32.txt.gz", 1886, 430 - 2},
        Export{"jax_hlo_unopt_train_resnet50_b32.txt.gz", 5473, 430 - 2},
        Export{"jax_hlo_cpuopt_train_gpt6_d512_b8_s256.txt.gz", 1069, 204 - 2},
        Export{"jax_hlo_unopt_train_gpt6_d512_b8_s256.txt.gz", 2483, 204 - 2}}) {
    SCOPED_TRACE(expected.file);
    const ImportedGraph imported =
        ImportGraphFile(std::filesystem::path(kForeignGraphs) / "exported" / expected.file);
    EXPECT_EQ(imported.summary.format, "hlo");
    EXPECT_EQ(imported.summary.nodes_read, expected.nodes);
    const auto is_state = [](const sim::Op& op) { return op.type == "Variable"; };
    EXPECT_EQ(std::ranges::count_if(imported.graph->ops(), is_state),
              static_cast<std::ptrdiff_t>(expected.states));
  }
}

}  // namespace
}  // namespace opyard::graphs
