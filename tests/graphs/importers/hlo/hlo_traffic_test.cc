// Traffic of HLO instructions: those that move nothing cost nothing, and those that touch a part
// move that part.
#include <gtest/gtest.h>

#include "tests/graphs/importers/hlo/hlo_files.h"

namespace opyard::graphs {
namespace {

TEST(HloTrafficTest, BarriersAreNothing) {
  const ImportedGraph imported = ImportHloFile("opt_barrier.hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.num_ops(), 3U);
  EXPECT_EQ(SourcesOf(graph, "y"), (std::vector<std::string>{"x", "w"}));
}

TEST(HloTrafficTest, OfAStartAndItsDoneOneDoesTheWork) {
  const ImportedGraph imported = ImportHloFile("async_collectives.hlo");
  const sim::OpGraph& graph = *imported.graph;
  // x, w, reduce-scatter, all-gather, copy, dot, all-reduce.
  EXPECT_EQ(graph.num_ops(), 7U);
  EXPECT_EQ(GetOp(graph, "rs-start").type, "reduce-scatter");
  EXPECT_EQ(GetOp(graph, "rs-start").bytes_accessed, Bytes{262'144 + 65'536});
  EXPECT_EQ(GetOp(graph, "ag-start").bytes_accessed, Bytes{65'536 + 262'144});
  EXPECT_EQ(GetOp(graph, "cp-start").bytes_accessed, Bytes{2 * 1'048'576});
  EXPECT_EQ(GetOp(graph, "ar-start").bytes_accessed, Bytes{2 * 1'048'576});
  EXPECT_EQ(SourcesOf(graph, "dot"), (std::vector<std::string>{"x", "ag-start"}));
  EXPECT_EQ(GetOp(graph, "dot").flops.count, 134'217'728.0);  // 2 · 1024 · 256 · 256
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

TEST(HloTrafficTest, SendsAndReceivesAreOnePairEach) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[4] parameter(0)\n  t = token[] after-all()\n"
                  "  s = (f32[4], u32[], token[]) send(x, t), channel_id=1\n"
                  "  sd = token[] send-done(s), channel_id=1\n"
                  "  r = (f32[4], u32[], token[]) recv(t), channel_id=2\n"
                  "  rd = (f32[4], token[]) recv-done(r), channel_id=2\n"
                  "  y = f32[4] get-tuple-element(rd), index=0\n  p = u32[] partition-id()\n"
                  "  ROOT z = f32[4] add(x, y)\n"),
      "hlo");
  EXPECT_EQ(imported.graph->num_ops(), 4U);  // x, s, r, z
  EXPECT_EQ(SourcesOf(*imported.graph, "z"), (std::vector<std::string>{"x", "r"}));
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

TEST(HloTrafficTest, CallsAndFusionsMayBePairsToo) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[4] parameter(0)\n"
                  "  s = ((f32[4]), f32[4], s32[]) call-start(x), to_apply=inner\n"
                  "  u = ((f32[4]), f32[4], s32[]) call-update(s)\n  d = f32[4] call-done(u)\n"
                  "  f = ((f32[4]), f32[4]) fusion-start(d), kind=kLoop, calls=inner\n"
                  "  ROOT e = f32[4] fusion-done(f)\n",
                  "inner {\n  p = f32[4] parameter(0)\n  ROOT n = f32[4] negate(p)\n}\n"),
      "hlo");
  EXPECT_EQ(imported.graph->num_ops(), 3U);
  EXPECT_EQ(GetOp(*imported.graph, "s").type, "negate");
  EXPECT_EQ(GetOp(*imported.graph, "f").type, "fusion");
  EXPECT_EQ(GetOp(*imported.graph, "f").flops.count, 4.0);
  EXPECT_EQ(SourcesOf(*imported.graph, "f"), (std::vector<std::string>{"s"}));
}

TEST(HloTrafficTest, MarksForTheCompilerAreNothing) {
  const ImportedGraph imported =
      ImportText(HloModuleOf("  x = f32[4] parameter(0)\n"
                             "  s = f32[4] custom-call(x), custom_call_target=\"Sharding\", "
                             "sharding={devices=[2]<=[2]}\n  ROOT y = f32[4] negate(s)\n"),
                 "hlo");
  EXPECT_EQ(imported.graph->num_ops(), 2U);
}

TEST(HloTrafficTest, GathersAndSlicesReadWhatTheyTake) {
  const ImportedGraph imported =
      ImportText(HloModuleOf("  t = f32[1000,16] parameter(0)\n  i = s32[8,1] parameter(1)\n"
                             "  g = f32[8,16] gather(t, i), slice_sizes={1,16}\n"
                             "  s = f32[10,16] slice(t), slice={[0:10], [0:16]}\n"
                             "  ROOT r = (f32[8,16], f32[10,16]) tuple(g, s)\n"),
                 "hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "g").bytes_accessed, Bytes{2 * 8 * 16 * 4 + 8 * 4});
  EXPECT_EQ(GetOp(graph, "s").bytes_accessed, Bytes{2 * 10 * 16 * 4});
}

// Each update writes 4 of 40 elements. The last reader of a buffer takes it over; who comes before
// copies it first, reading and writing 160 B.
TEST(HloTrafficTest, UpdatesAreInPlaceWhereNobodyReadsTheOldValue) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  u = f32[4] parameter(0)\n  i = s32[] parameter(1)\n  z = f32[] constant(0)\n"
                  "  b = f32[40] broadcast(z), dimensions={}\n"
                  "  a = f32[40] dynamic-update-slice(b, u, i)\n"
                  "  c = f32[40] dynamic-update-slice(b, u, i)\n"
                  "  ROOT r = (f32[40], f32[40]) tuple(a, c)\n"),
      "hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "c").bytes_accessed, Bytes{16 + 16 + 4});
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "c"), 0)).alias, sim::Alias::kInput);
  EXPECT_EQ(GetOp(graph, "a").bytes_accessed, Bytes{16 + 16 + 4 + 320});
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "a"), 0)).alias, sim::Alias::kNone);
}

TEST(HloTrafficTest, AFusionReadsOfAParameterWhatItsSlicesTake) {
  const ImportedGraph imported =
      ImportText(HloModuleOf("  w = f32[16,64] parameter(0)\n  i = s32[] parameter(1)\n"
                             "  ROOT y = f32[1,64] fusion(w, i), kind=kLoop, calls=fused\n",
                             "fused {\n  w = f32[16,64] parameter(0)\n  i = s32[] parameter(1)\n"
                             "  z = s32[] constant(0)\n"
                             "  s = f32[1,64] dynamic-slice(w, i, z), dynamic_slice_sizes={1,64}\n"
                             "  ROOT n = f32[1,64] negate(s)\n}\n"),
                 "hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "y").bytes_accessed, Bytes{2 * 256 + 4});
}

TEST(HloTrafficTest, AFusionThatEndsInAnUpdateWritesThePart) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[1,64] parameter(0)\n  i = s32[] parameter(1)\n"
                  "  z = f32[] constant(0)\n  b = f32[16,64] broadcast(z), dimensions={}\n"
                  "  ROOT y = f32[16,64] fusion(b, x, i), kind=kLoop, calls=fused\n",
                  "fused {\n  b = f32[16,64] parameter(0)\n  x = f32[1,64] parameter(1)\n"
                  "  i = s32[] parameter(2)\n  z = s32[] constant(0)\n  n = f32[1,64] negate(x)\n"
                  "  ROOT d = f32[16,64] dynamic-update-slice(b, n, i, z)\n}\n"),
      "hlo");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(GetOp(graph, "y").bytes_accessed, Bytes{2 * 256 + 4});
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "y"), 0)).alias, sim::Alias::kInput);
}

}  // namespace
}  // namespace opyard::graphs
