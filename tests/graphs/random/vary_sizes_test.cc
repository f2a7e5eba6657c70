#include "graphs/random/vary_sizes.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"
#include "tests/support/small_graphs.h"

namespace opyard::graphs {
namespace {

std::int64_t BytesOf(const sim::OpGraph& graph, std::size_t op) {
  return graph.tensor(graph.output(OpId(op), 0)).bytes.count;
}

TEST(VarySizesTest, ChangesSizesAndNothingElseOfTheTopology) {
  const auto graph = LoadGraph("zoo:rnnlm?scale=tiny");
  const auto variant = VarySizes(*graph, "variant", 3);
  ASSERT_EQ(variant->num_ops(), graph->num_ops());
  std::size_t num_changed = 0;
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const OpId op(i);
    EXPECT_EQ(variant->op(op).name, graph->op(op).name);
    EXPECT_EQ(variant->op(op).type, graph->op(op).type);
    EXPECT_EQ(variant->op(op).param_bytes, graph->op(op).param_bytes);
    EXPECT_TRUE(std::ranges::equal(variant->inputs(op), graph->inputs(op)));
  }
  for (std::size_t i = 0; i < graph->num_tensors(); ++i) {
    const sim::Tensor& before = graph->tensor(TensorId(i));
    const sim::Tensor& after = variant->tensor(TensorId(i));
    num_changed += before.bytes != after.bytes ? 1 : 0;
    EXPECT_TRUE(before.bytes == after.bytes || !graph->aliases_params(TensorId(i)));
    EXPECT_LE(after.bytes.count, 10 * before.bytes.count);
    EXPECT_GE(after.bytes.count * 10, before.bytes.count);
  }
  EXPECT_GT(num_changed, graph->num_tensors() / 4);
}

TEST(VarySizesTest, TensorsThatShareAStorageStayAlike) {
  sim::OpSpec view = testing::TimedOp("view", 1, {{0, 0}}, {4000});
  view.outputs[0].alias = sim::Alias::kInput;
  const auto graph = testing::MakeGraph({testing::TimedOp("a", 2, {}, {4000}), view});
  const auto variant = VarySizes(*graph, "variant", 5);
  EXPECT_NE(BytesOf(*variant, 0), 4000);
  EXPECT_EQ(BytesOf(*variant, 0), BytesOf(*variant, 1));
}

TEST(VarySizesTest, WorkFollowsTheBytesThatAnOpTouches) {
  sim::OpSpec op = testing::TimedOp("a", 2, {}, {4'000'000});
  op.flops = Flops{8e6};
  const auto graph = testing::MakeGraph({op});
  const auto variant = VarySizes(*graph, "variant", 1);
  // One output is all it touches: 2 FLOP per byte before and after.
  EXPECT_EQ(variant->op(OpId(std::size_t{0})).flops.count,
            2.0 * static_cast<double>(BytesOf(*variant, 0)));
  // 2 us for 4,000,000 bytes is half a picosecond per byte.
  EXPECT_DOUBLE_EQ(variant->measured_times(OpId(std::size_t{0}))[0].seconds,
                   0.5e-12 * static_cast<double>(BytesOf(*variant, 0)));
}

TEST(VarySizesTest, MeasuredTimesHoldWhatTheyHeld) {
  sim::OpGraphBuilder builder("kernels");
  builder.AddOp(testing::TimedOp("a", 2));
  builder.SetMeasured(sim::Measured::kKernel);
  EXPECT_EQ(VarySizes(*builder.Build(), "variant", 1)->measured(), sim::Measured::kKernel);
}

TEST(VarySizesTest, AHundredSeedsGiveAHundredGraphsEachReadBackEqual) {
  const auto graph = LoadGraph("zoo:vgg16?scale=tiny");
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::string text = sim::WriteGraphText(*VarySizes(*graph, "variant", seed));
    EXPECT_EQ(sim::WriteGraphText(*sim::ReadGraphText(text, "variant")), text);
    texts.insert(text.substr(text.find("\"ops\"")));
  }
  EXPECT_EQ(texts.size(), 100U);
  EXPECT_EQ(sim::WriteGraphText(*VarySizes(*graph, "variant", 7)),
            sim::WriteGraphText(*VarySizes(*graph, "variant", 7)));
}

TEST(VarySizesTest, IsReachedByReference) {
  const auto variant = LoadGraph("variant:3:random:layered?n=20&seed=2");
  EXPECT_EQ(variant->name(), "variant:3:random:layered?n=20&seed=2");
  EXPECT_EQ(sim::WriteGraphText(*variant),
            sim::WriteGraphText(
                *VarySizes(*LoadGraph("random:layered?n=20&seed=2"), variant->name(), 3)));
}

TEST(VarySizesTest, RefusesSizesBeyondInt64) {
  sim::OpSpec op = testing::TimedOp("a", 2, {}, {std::int64_t{1} << 62});
  const auto graph = testing::MakeGraph({op});
  int num_refused = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    try {
      static_cast<void>(VarySizes(*graph, "variant", seed));
    } catch (const InputError&) {
      ++num_refused;
    }
  }
  EXPECT_GT(num_refused, 0);  // factors above 2 are one of twelve: P(Z > ln 2 / 0.5) = 0.083
}

}  // namespace
}  // namespace opyard::graphs
