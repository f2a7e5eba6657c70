#include "agents/learned/hdp/op_features.h"

#include <gtest/gtest.h>

#include "agents/learned/hdp/grouper.h"
#include "agents/learned/hdp/view.h"
#include "env/observation.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::hdp {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

// a, b and c feed d, which feeds e; d's output is 3 × 5, that of e 7.
std::shared_ptr<const env::Problem> FanInOfRawFeatures() {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {1, 2}),
                                  UnevenOp("b", {1, 2}),
                                  UnevenOp("c", {1, 2}),
                                  UnevenOp("d", {1, 2}, {{0, 0}, {1, 0}, {2, 0}}),
                                  UnevenOp("e", {1, 2}, {{3, 0}})};
  ops[3].outputs[0].shape = {3, 5};
  ops[4].outputs[0].shape = {7};
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2));
}

OpFeatures Published(const std::shared_ptr<const env::Problem>& problem) {
  return MakeOpFeatures(*problem, UnitsOf(*problem), /*faithful=*/true);
}

std::vector<float> Row(const torch::Tensor& row) {
  const torch::Tensor whole = row.contiguous();
  return {whole.data_ptr<float>(), whole.data_ptr<float>() + whole.numel()};
}

// The published code clears a consumer's list at every edge, so that of d's producers only the last
// one would be left.
TEST(HdpOpFeaturesTest, AnOpKnowsAllThatItReadsFromThenWhatReadsFromItEachWithASign) {
  const OpFeatures features = Published(FanInOfRawFeatures());
  // a, b, c, which d reads from, then e.
  std::vector<float> expected = {0.0F, -1.0F, 1.0F, -1.0F, 2.0F, -1.0F, 4.0F, 1.0F};
  expected.resize(kNeighbourWidth, 0.0F);
  EXPECT_EQ(Row(features.x[3].slice(0, 1 + kShapeWidth)), expected);
}

TEST(HdpOpFeaturesTest, TheTypeIsANumberIfFaithfulAndAnEmbeddingOtherwise) {
  const auto problem = FanInOfRawFeatures();
  EXPECT_EQ(OpFeatureWidth(true), 46);                        // 1 + 25 + 20
  EXPECT_EQ(Published(problem).x[0][0].item<float>(), 0.0F);  // the only type of the graph

  Grouper faithful({.faithful = true, .num_groups = 2});
  EXPECT_EQ(faithful.parameters().size(), 2U);  // two matrices
  Grouper corrected({.num_groups = 2});
  bool has_embedding = false;
  for (const auto& item : corrected.named_parameters()) {
    has_embedding |= item.key() == "type.weight" &&
                     item.value().sizes() == torch::IntArrayRef({env::kTypeVocabulary, 16});
  }
  EXPECT_TRUE(has_embedding);
}

// Types by name: "Add" 0, "MatMul" 1.
TEST(HdpOpFeaturesTest, AsPublishedTypesAreNumberedWithinTheGraph) {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {1, 2}), UnevenOp("b", {1, 2}, {{0, 0}})};
  ops[0].type = "MatMul";
  ops[1].type = "Add";
  const OpFeatures features = Published(
      MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2)));
  EXPECT_EQ(features.x[0][0].item<float>(), 1.0F);
  EXPECT_EQ(features.x[1][0].item<float>(), 0.0F);
  EXPECT_EQ(features.op_type[0].item<std::int64_t>(), 1);
}

// Two types whose numbers differ by one are as far apart as any two.
TEST(HdpOpFeaturesTest, WithoutTheEmbeddingOfItsTypeAnOpIsTheSame) {
  const auto problem = FanInOfRawFeatures();
  const OpFeatures features = MakeOpFeatures(*problem, UnitsOf(*problem), /*faithful=*/false);
  EXPECT_EQ(features.x.size(1), OpFeatureWidth(false));
  OpFeatures other = features;
  other.op_type = features.op_type + 1;
  Grouper grouper({.num_groups = 3});
  EXPECT_GT((grouper.LogProbs(features) - grouper.LogProbs(other)).abs().max().item<double>(),
            1e-4);
}

TEST(HdpOpFeaturesTest, AUnitIsTheMeanOfItsOps) {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {1, 2}), UnevenOp("b", {1, 2}, {{0, 0}})};
  ops[0].outputs[0].shape = {4};
  ops[1].outputs[0].shape = {8};
  for (sim::OpSpec& op : ops) {
    op.colocation = "together";
  }
  const OpFeatures features = Published(
      MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2)));
  ASSERT_EQ(features.x.size(0), 1);
  EXPECT_EQ(features.x[0][1].item<float>(), 6.0F);        // (4 + 8) / 2
  EXPECT_EQ(features.shapes[0][0].item<float>(), 12.0F);  // 4 + 8
}

}  // namespace
}  // namespace opyard::agents::hdp
