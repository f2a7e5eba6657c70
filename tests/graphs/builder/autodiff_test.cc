#include "graphs/builder/autodiff.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/builder/gradient_rules.h"
#include "graphs/zoo/model_size.h"
#include "sim/base/check.h"
#include "tests/graphs/builder/built_graphs.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;

GraphBuilder NewBuilder() {
  return {"g", "test"};
}

// The sum of all elements.
Tensor Total(GraphBuilder& builder, const Tensor& x) {
  Shape axes;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  return builder.Reduce("Sum", x, axes);
}

TEST(DifferentiateTest, AProductHasTwoGradientProducts) {
  GraphBuilder builder = NewBuilder();
  const Tensor a = builder.Weight("a", {2, 3});
  const Tensor b = builder.Weight("b", {3, 5});
  const Tensor loss = Total(builder, builder.MatMul(a, b));
  const auto gradients = Differentiate(builder, loss);
  ASSERT_EQ(gradients.size(), 2U);
  EXPECT_THAT(gradients[0].gradient.shape, ElementsAre(2, 3));
  EXPECT_THAT(gradients[1].gradient.shape, ElementsAre(3, 5));
  const auto graph = builder.Build();
  EXPECT_EQ(CountTypes(*graph, sim::Phase::kBackward)["MatMul"], 2);
  // ȧ = ẏ bᵀ: 2·2·5·3; ḃ = aᵀ ẏ: 2·3·2·5. Each as many as forward.
  EXPECT_EQ(HeavyFlops(*graph, sim::Phase::kForward), Flops{60});
  EXPECT_EQ(HeavyFlops(*graph, sim::Phase::kBackward), Flops{120});
}

TEST(DifferentiateTest, WhatDependsOnNoWeightHasNoGradient) {
  GraphBuilder builder = NewBuilder();
  const Tensor x = builder.Placeholder("x", {2, 3}, sim::DType::kF32);
  const Tensor w = builder.Weight("w", {3, 5});
  const Tensor loss = Total(builder, builder.MatMul(builder.Relu(x), w));
  Differentiate(builder, loss);
  const auto graph = builder.Build();
  Histogram backward = CountTypes(*graph, sim::Phase::kBackward);
  EXPECT_EQ(backward["MatMul"], 1);
  EXPECT_EQ(backward["ReluGrad"], 0);
}

TEST(DifferentiateTest, AWeightThatTheLossIgnoresIsLeftOut) {
  GraphBuilder builder = NewBuilder();
  const Tensor used = builder.Weight("used", {2});
  builder.Weight("unused", {2});
  EXPECT_EQ(Differentiate(builder, Total(builder, used)).size(), 1U);
}

TEST(DifferentiateTest, ContributionsToAnActivationMeetInOneAddN) {
  GraphBuilder builder = NewBuilder();
  const Tensor w = builder.Weight("w", {2});
  const Tensor y = builder.Tanh(w);
  const Tensor loss =
      Total(builder, builder.AddN({builder.Relu(y), builder.Sigmoid(y), builder.Unary("Neg", y)}));
  Differentiate(builder, loss);
  const auto graph = builder.Build();
  EXPECT_EQ(CountTypes(*graph, sim::Phase::kBackward)["AddN"], 1);
  for (std::size_t op = 0; op < graph->num_ops(); ++op) {
    if (graph->ops()[op].type == "AddN" && graph->ops()[op].phase == sim::Phase::kBackward) {
      EXPECT_EQ(graph->inputs(OpId(op)).size(), 3U);
      EXPECT_EQ(graph->ops()[op].flops.count, 2.0 * 2);  // two sums of two elements
    }
  }
}

TEST(DifferentiateTest, ContributionsToAWeightAreSummedAsTheyAppearAndStayWithIt) {
  GraphBuilder builder = NewBuilder();
  const Tensor w = builder.Weight("w", {3, 3});
  Tensor x = builder.Placeholder("x", {2, 3}, sim::DType::kF32);
  for (int step = 0; step < 4; ++step) {
    x = builder.MatMul(x, w);
  }
  Differentiate(builder, Total(builder, x));
  const auto graph = builder.Build();
  // Four steps: three sums of two.
  EXPECT_EQ(CountTypes(*graph, sim::Phase::kBackward)["AddN"], 3);
  const auto label = graph->op(FindOp(*graph, "w")).colocation;
  for (std::size_t op = 0; op < graph->num_ops(); ++op) {
    if (graph->ops()[op].type == "AddN") {
      EXPECT_EQ(graph->inputs(OpId(op)).size(), 2U);
      EXPECT_EQ(graph->ops()[op].colocation, label);
    }
  }
}

TEST(DifferentiateTest, GradientsHaveTheLayerOfTheirForwardOp) {
  GraphBuilder builder = NewBuilder();
  builder.SetLayer(0);
  const Tensor w = builder.Weight("w", {2});
  builder.SetLayer(3);
  const Tensor y = builder.Tanh(builder.Relu(w));
  builder.SetLayer(5);
  Differentiate(builder, Total(builder, y));
  const auto graph = builder.Build();
  EXPECT_EQ(graph->op(FindOp(*graph, "gradients/Tanh/TanhGrad")).layer, 3);
}

TEST(DifferentiateTest, NothingFlowsThroughAStoppedGradient) {
  GraphBuilder builder = NewBuilder();
  const Tensor w = builder.Weight("w", {2});
  const Tensor v = builder.Weight("v", {2});
  const Tensor loss = Total(builder, builder.Mul(builder.Unary("StopGradient", w), v));
  const auto gradients = Differentiate(builder, loss);
  ASSERT_EQ(gradients.size(), 1U);
  EXPECT_EQ(builder.node(gradients[0].weight.handle.op).name, "v");
}

TEST(DifferentiateTest, ATypeWithoutARuleIsOurBug) {
  GraphBuilder builder = NewBuilder();
  const Tensor w = builder.Weight("w", {2});
  const Tensor loss = Total(builder, builder.Binary("Maximum", w, w));
  EXPECT_THROW(Differentiate(builder, loss), InternalError);
}

// One op from weights "a" (and "b"), and the types that its gradient adds, in order, for
// ẏ of the shape of y. The loss is Σ y, whose gradient is a Tile; it is not listed.
struct RuleCase {
  std::string name;
  Shape a;
  Shape b;
  std::function<Tensor(GraphBuilder&, const Tensor&, const Tensor&)> make;
  std::vector<std::string> types;
};

void PrintTo(const RuleCase& rule, std::ostream* out) {
  *out << rule.name;
}

class GradientRuleTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(GradientRuleTest, AddsTheseOpsAndGivesGradientsOfTheShapeOfTheWeights) {
  GraphBuilder builder = NewBuilder();
  const Tensor a = builder.Weight("a", GetParam().a);
  const Tensor b = builder.Weight("b", GetParam().b);
  const Tensor loss = Total(builder, GetParam().make(builder, a, b));
  const std::size_t first = builder.num_ops();
  for (const WeightGradient& item : Differentiate(builder, loss)) {
    EXPECT_EQ(item.gradient.shape, item.weight.handle.shape);
  }
  std::vector<std::string> types = TypesFrom(builder, first);
  while (!types.empty() && (types[0] == "Reshape" || types[0] == "Tile")) {
    types.erase(types.begin());  // of the loss
  }
  EXPECT_EQ(types, GetParam().types);
}

RuleCase OfOne(const std::string& type, const std::vector<std::string>& types) {
  return {type,
          {2, 3},
          {1},
          [type](GraphBuilder& b, const Tensor& x, const Tensor&) { return b.Unary(type, x); },
          types};
}

RuleCase OfTwo(const std::string& type, const Shape& b, const std::vector<std::string>& types) {
  return {type + std::to_string(b.size()),
          {2, 3},
          b,
          [type](GraphBuilder& builder, const Tensor& x, const Tensor& y) {
            return builder.Binary(type, x, y);
          },
          types};
}

INSTANTIATE_TEST_SUITE_P(
    Elementwise,
    GradientRuleTest,
    ::testing::Values(OfOne("Relu", {"ReluGrad"}),
                      OfOne("Sigmoid", {"SigmoidGrad"}),
                      OfOne("Tanh", {"TanhGrad"}),
                      OfOne("Rsqrt", {"RsqrtGrad"}),
                      OfOne("Gelu", {"GeluGrad"}),
                      OfOne("LeakyRelu", {"LeakyReluGrad"}),
                      OfOne("Relu6", {"Relu6Grad"}),
                      OfOne("Sqrt", {"SqrtGrad"}),
                      OfOne("Erf", {"Square", "Neg", "Exp", "Mul", "Mul"}),
                      OfOne("Neg", {"Neg"}),
                      OfOne("Exp", {"Mul"}),
                      OfOne("Log", {"RealDiv"}),
                      OfOne("Square", {"Mul", "Mul"}),
                      OfTwo("AddV2", {2, 3}, {}),
                      OfTwo("AddV2", {3}, {"Sum"}),
                      OfTwo("Sub", {3}, {"Sum", "Neg"}),
                      OfTwo("Mul", {2, 3}, {"Mul", "Mul"}),
                      OfTwo("Mul", {3}, {"Mul", "Mul", "Sum"}),
                      OfTwo("Pow", {3}, {"Sub", "Pow", "Mul", "Mul", "Log", "Mul", "Mul", "Sum"}),
                      OfTwo("RealDiv", {2, 3}, {"RealDiv", "Neg", "RealDiv", "Mul"}),
                      OfTwo("SquaredDifference", {2, 3}, {"Mul", "Sub", "Mul", "Neg"})));

INSTANTIATE_TEST_SUITE_P(
    Others,
    GradientRuleTest,
    ::
        testing::
            Values(RuleCase{"BiasAdd",
                            {2, 3},
                            {3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.BiasAdd(x, y, 1);
                            },
                            {"BiasAddGrad"}},
                   RuleCase{"Stretched",
                            {2, 3},
                            {2, 1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.Add(x, y);
                            },
                            {"Sum", "Reshape"}},
                   RuleCase{"Select",
                            {2, 3},
                            {2, 3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              const Tensor mask = b.Placeholder("mask", {2, 1}, sim::DType::kBool);
                              return b.Select(mask, x, y);
                            },
                            {"SelectV2", "SelectV2"}},
                   RuleCase{"TransposedMatMul",
                            {3, 2},
                            {3, 5},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.MatMul(x, y, Transposed::kFirst);
                            },
                            {"MatMul", "MatMul"}},
                   RuleCase{"Conv",
                            {2, 3, 5, 5},
                            {4, 3, 3, 3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.Conv(x, y, {});
                            },
                            {"Conv2DBackpropInput", "Conv2DBackpropFilter"}},
                   RuleCase{
                       "ConvTranspose",
                       {2, 6, 3, 3},
                       {6, 4, 2, 2},
                       [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                         return b.ConvTranspose(x, y, {.stride_h = 2, .stride_w = 2}, {2, 4, 6, 6});
                       },
                       {"Conv2D", "Conv2DBackpropFilter"}},
                   RuleCase{"Depthwise",
                            {2, 3, 5, 5},
                            {3, 1, 3, 3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.Conv(x, y, {.groups = 3});
                            },
                            {"DepthwiseConv2dNativeBackpropInput",
                             "DepthwiseConv2dNativeBackpropFilter"}},
                   RuleCase{"Mean",
                            {2, 3},
                            {3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.Mul(b.Reduce("Mean", x, {0}), y);
                            },
                            {"Mul", "Mul", "Reshape", "Tile", "RealDiv"}},
                   RuleCase{
                       "Softmax",
                       {2, 3},
                       {1},
                       [](GraphBuilder& b, const Tensor& x, const Tensor&) { return b.Softmax(x); },
                       {"Mul", "Sum", "Sub", "Mul"}},
                   RuleCase{"CrossEntropy",
                            {2, 3},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.CrossEntropy(x,
                                                    b.Placeholder("labels", {2}, sim::DType::kI32));
                            },
                            {"ExpandDims", "Mul"}},
                   RuleCase{"L2Loss",
                            {2, 3},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.ExpandDims(b.L2Loss(x), 0);
                            },
                            {"Mul"}},
                   RuleCase{"MaxPool",
                            {2, 3, 4, 4},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Pool("MaxPool", x, {.height = 2, .width = 2});
                            },
                            {"MaxPoolGrad"}},
                   RuleCase{"AvgPool",
                            {2, 3, 4, 4},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Pool("AvgPool", x, {.height = 2, .width = 2});
                            },
                            {"AvgPoolGrad"}},
                   RuleCase{"LayerNorm",
                            {2, 3},
                            {3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.output(
                                  b.Append({.type = "LayerNorm",
                                            .inputs = {x, y, b.Constant("offset", {3})}}));
                            },
                            {"LayerNormGrad"}},
                   RuleCase{"BatchNorm",
                            {2, 3, 4, 4},
                            {3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.output(
                                  b.Append({.type = "FusedBatchNormV3",
                                            .inputs = {x, y, b.Constant("offset", {3})}}));
                            },
                            {"FusedBatchNormGradV3"}},
                   RuleCase{"Concat",
                            {2, 3},
                            {2, 5},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.Concat({x, y}, 1);
                            },
                            {"Slice", "Slice"}},
                   RuleCase{"SplitOfWhichOneIsUsed",
                            {2, 6},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Split(x, 2, 1)[1];
                            },
                            {"ZerosLike", "ConcatV2"}},
                   RuleCase{"Pack",
                            {2, 3},
                            {2, 3},
                            [](GraphBuilder& b, const Tensor& x, const Tensor& y) {
                              return b.Pack({x, y}, 0);
                            },
                            {"Unpack"}},
                   RuleCase{"Unpack",
                            {2, 3},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              const auto parts = b.Unpack(x, 0);
                              return b.Add(parts[0], parts[1]);
                            },
                            {"Pack"}},
                   RuleCase{"Slice",
                            {2, 3},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Slice(x, {0, 1}, {2, 2});
                            },
                            {"Pad"}},
                   RuleCase{"Pad",
                            {2, 3},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Pad(x, {0, 1}, {0, 2});
                            },
                            {"Slice"}},
                   RuleCase{"Tile",
                            {2, 1},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Tile(x, {2, 5});
                            },
                            {"Sum", "Reshape"}},
                   RuleCase{"Transpose",
                            {2, 3, 4},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Transpose(x, {2, 0, 1});
                            },
                            {"Transpose"}},
                   RuleCase{"Gather",
                            {20, 3},
                            {1},
                            [](GraphBuilder& b, const Tensor& x, const Tensor&) {
                              return b.Gather(x, b.Placeholder("words", {2, 5}, sim::DType::kI32));
                            },
                            {"UnsortedSegmentSum"}}));

}  // namespace
}  // namespace opyard::graphs
