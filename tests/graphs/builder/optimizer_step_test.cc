#include "graphs/builder/optimizer_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graphs/builder/built_graphs.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;

// One step of y = Σ tanh(x w) and the types that the update adds, constants left out.
struct Step {
  explicit Step(const OptimizerOptions& options) : builder("g", "test") {
    builder.SetLayer(7);
    const Tensor w = builder.Weight("w", {3, 5});
    const Tensor x = builder.Weight("x", {2, 3});
    const Tensor loss = builder.Reduce("Sum", builder.Tanh(builder.MatMul(x, w)), {0, 1});
    gradients = Differentiate(builder, loss);
    gradients.resize(1);  // of "w" alone
    const std::size_t first = builder.num_ops();
    AddUpdates(builder, gradients, options);
    types = TypesFrom(builder, first);
    graph = builder.Build();
  }
  GraphBuilder builder;
  std::vector<WeightGradient> gradients;
  std::vector<std::string> types;
  std::shared_ptr<const sim::OpGraph> graph;
};

TEST(AddUpdatesTest, SgdIsAProductAndASubtraction) {
  EXPECT_THAT(Step({.rule = UpdateRule::kSgd}).types, ElementsAre("Mul", "AssignSub"));
}

TEST(AddUpdatesTest, MomentumKeepsOneSlot) {
  EXPECT_THAT(Step({.rule = UpdateRule::kMomentum}).types,
              ElementsAre("Variable", "Mul", "AddV2", "Assign", "Mul", "AssignSub"));
}

TEST(AddUpdatesTest, AdamKeepsTwoSlotsAndTwoPowers) {
  EXPECT_EQ(Step({.rule = UpdateRule::kAdam}).types,
            (std::vector<std::string>{
                "Variable", "Mul",      "Assign",  "Sub",       "Sqrt",       // √(1 − β₂ᵗ)
                "Variable", "Mul",      "Assign",  "Sub",                     // 1 − β₁ᵗ
                "Mul",      "RealDiv",                                        // the corrected rate
                "Variable", "Sub",      "Mul",     "AssignAdd",               // m
                "Square",   "Variable", "Sub",     "Mul",       "AssignAdd",  // v
                "Sqrt",     "AddV2",    "RealDiv", "Mul",       "AssignSub"}));
}

TEST(AddUpdatesTest, RmsPropKeepsSquaresAndMomentum) {
  EXPECT_THAT(Step({.rule = UpdateRule::kRmsProp}).types,
              ElementsAre("Square",
                          "Variable",
                          "Sub",
                          "Mul",
                          "AssignAdd",
                          "AddV2",
                          "Rsqrt",
                          "Mul",
                          "Mul",
                          "Variable",
                          "Mul",
                          "AddV2",
                          "Assign",
                          "AssignSub"));
}

TEST(AddUpdatesTest, ClippingScalesByTheCommonNorm) {
  EXPECT_THAT(Step({.rule = UpdateRule::kSgd, .clips_global_norm = true}).types,
              ElementsAre("L2Loss",
                          "Mul",
                          "Sqrt",
                          "Maximum",
                          "RealDiv",  // the scale
                          "Mul",
                          "Mul",
                          "AssignSub"));
}

TEST(AddUpdatesTest, AMovingAverageFollowsTheUpdatedWeight) {
  EXPECT_THAT(Step({.rule = UpdateRule::kSgd, .averages_weights = true}).types,
              ElementsAre("Mul", "AssignSub", "Variable", "Sub", "Mul", "AssignSub"));
}

TEST(AddUpdatesTest, WeightDecayReadsTheWeight) {
  EXPECT_THAT(Step({.rule = UpdateRule::kSgd, .decays_weights = true}).types,
              ElementsAre("Mul", "AddV2", "Mul", "AssignSub"));
}

TEST(AddUpdatesTest, AFusedUpdateIsOneOpAndItsStateIsResidentWithTheWeight) {
  const Step step({.rule = UpdateRule::kAdam, .ops = UpdateOps::kFused});
  EXPECT_EQ(step.types.back(), "ApplyAdam");
  // 15 elements of 4 bytes: weight, mean, square.
  EXPECT_EQ(step.graph->op(FindOp(*step.graph, "w")).param_bytes, Bytes{3 * 60});
}

TEST(AddUpdatesTest, PrimitiveStateIsResidentInItsOwnVariables) {
  const Step step({.rule = UpdateRule::kAdam});
  EXPECT_EQ(step.graph->op(FindOp(*step.graph, "w")).param_bytes, Bytes{60});
  EXPECT_EQ(step.graph->op(FindOp(*step.graph, "update/w/m")).param_bytes, Bytes{60});
  EXPECT_EQ(step.graph->op(FindOp(*step.graph, "update/w/v")).param_bytes, Bytes{60});
}

TEST(AddUpdatesTest, AllOpsOfAWeightShareItsDeviceAndLayer) {
  const Step step({.rule = UpdateRule::kMomentum, .clips_global_norm = true});
  const auto label = step.graph->op(FindOp(*step.graph, "w")).colocation;
  ASSERT_TRUE(label.has_value());
  EXPECT_EQ(step.graph->colocation_labels()[static_cast<std::size_t>(*label)], "w");
  for (const char* name : {"update/w/AssignSub", "update/w/momentum", "clip/w/L2Loss"}) {
    EXPECT_EQ(step.graph->op(FindOp(*step.graph, name)).colocation, label) << name;
    EXPECT_EQ(step.graph->op(FindOp(*step.graph, name)).layer, 7) << name;
  }
}

TEST(AddUpdatesTest, AWeightChangesOnlyAfterItsLastReader) {
  const Step step({.rule = UpdateRule::kSgd});
  // ẋ = ẏ wᵀ reads w in the backward pass, and ẇ does not depend on it.
  const OpId reader = FindOp(*step.graph, "gradients/MatMul/MatMul");
  EXPECT_THAT(step.graph->control_inputs(FindOp(*step.graph, "update/w/AssignSub")),
              ElementsAre(reader));
}

}  // namespace
}  // namespace opyard::graphs
