#include "graphs/builder/graph_builder.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/cost/zero_cost.h"
#include "tests/graphs/builder/built_graphs.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GraphBuilder NewBuilder() {
  return {"g", "test"};
}

Tensor Input(GraphBuilder& builder, const Shape& shape) {
  return builder.Placeholder("x", shape, sim::DType::kF32);
}

TEST(GraphBuilderTest, AConstantOperandStandsBesideItsReaderAndSharesItsDevice) {
  GraphBuilder builder = NewBuilder();
  const Tensor x = Input(builder, {2, 6});
  builder.Split(x, 3, 1);
  const auto graph = builder.Build();
  const OpId constant = FindOp(*graph, "Split/split_dim");
  const OpId split = FindOp(*graph, "Split");
  EXPECT_EQ(graph->op(constant).type, "Const");
  EXPECT_TRUE(sim::IsZeroCost(*graph, constant));
  ASSERT_TRUE(graph->op(split).colocation.has_value());
  EXPECT_EQ(graph->op(constant).colocation, graph->op(split).colocation);
  EXPECT_EQ(graph->tensor(graph->inputs(split)[1]).producer, constant);
}

TEST(GraphBuilderTest, NamesFollowFromScopeAndTypeAndAreUnique) {
  GraphBuilder builder = NewBuilder();
  const Tensor x = Input(builder, {2});
  {
    const GraphBuilder::Scope outer(builder, "cell");
    builder.Tanh(x);
    builder.Tanh(x);
  }
  builder.Tanh(x);
  EXPECT_EQ(builder.node(OpId(1)).name, "cell/Tanh");
  EXPECT_EQ(builder.node(OpId(2)).name, "cell/Tanh_1");
  EXPECT_EQ(builder.node(OpId(3)).name, "Tanh");
}

TEST(GraphBuilderTest, ScopesAreModulesUnlessTheyServeAnother) {
  GraphBuilder builder = NewBuilder();
  const Tensor x = Input(builder, {2});
  {
    const GraphBuilder::Scope outer(builder, "cell");
    const GraphBuilder::Scope inner(builder, "gate");
    builder.Tanh(x);
  }
  {
    const GraphBuilder::Scope serving(builder, "update", "cell");
    builder.Tanh(x);
  }
  const auto graph = builder.Build();
  EXPECT_FALSE(graph->op(FindOp(*graph, "x")).module.has_value());
  EXPECT_THAT(graph->module_paths(), ElementsAre("cell.gate", "cell"));
  EXPECT_EQ(graph->op(FindOp(*graph, "cell/gate/Tanh")).module, 0);
  EXPECT_EQ(graph->op(FindOp(*graph, "update/Tanh")).module, 1);
}

TEST(GraphBuilderTest, AWeightIsAVariableWithItsBytesAndAReadThatCostsNothing) {
  GraphBuilder builder = NewBuilder();
  builder.Weight("w", {3, 5});
  const auto graph = builder.Build();
  const OpId variable = FindOp(*graph, "w");
  const OpId read = FindOp(*graph, "w/read");
  EXPECT_EQ(graph->op(variable).param_bytes, Bytes{60});  // 15 elements of 4 bytes
  EXPECT_EQ(graph->op(variable).bytes_accessed, Bytes{0});
  EXPECT_EQ(graph->tensor(graph->output(variable, 0)).alias, sim::Alias::kParams);
  EXPECT_TRUE(graph->aliases_params(graph->output(read, 0)));
  EXPECT_TRUE(sim::IsZeroCost(*graph, read));
  EXPECT_EQ(graph->op(variable).colocation, graph->op(read).colocation);
}

TEST(GraphBuilderTest, OpsThatShareADeviceHaveTheLayerOfTheirFirstVariable) {
  GraphBuilder builder = NewBuilder();
  builder.SetLayer(5);
  const Tensor x = Input(builder, {2});
  builder.SetLayer(3);
  const Tensor w = builder.Weight("w", {2});
  builder.Colocate(x.op, w.op);
  const auto graph = builder.Build();
  EXPECT_EQ(graph->op(x.op).layer, 3);
  EXPECT_EQ(graph->colocation_labels()[static_cast<std::size_t>(*graph->op(x.op).colocation)], "w");
}

TEST(GraphBuilderTest, AProductHasAShapeBlockAndTwiceItsMultiplyAdds) {
  GraphBuilder builder = NewBuilder();
  builder.MatMul(Input(builder, {2, 3}), Input(builder, {5, 3}), Transposed::kSecond);
  const auto graph = builder.Build();
  const OpId op = FindOp(*graph, "MatMul");
  EXPECT_EQ(graph->op(op).flops.count, 2.0 * 2 * 5 * 3);
  EXPECT_EQ(graph->op(op).bytes_accessed, Bytes{4 * (6 + 15 + 10)});
  EXPECT_THAT(graph->shape(graph->output(op, 0)), ElementsAre(2, 5));
  const auto& gemm = std::get<sim::GemmShape>(*graph->work_shape(op));
  EXPECT_EQ(gemm.m, 2);
  EXPECT_EQ(gemm.n, 5);
  EXPECT_EQ(gemm.k, 3);
}

TEST(GraphBuilderTest, ABatchOfProductsCountsEachOfThem) {
  GraphBuilder builder = NewBuilder();
  builder.MatMul(Input(builder, {7, 2, 3}), Input(builder, {7, 3, 5}));
  const auto graph = builder.Build();
  const OpId op = FindOp(*graph, "BatchMatMulV2");
  EXPECT_EQ(graph->op(op).flops.count, 7.0 * 2 * 2 * 3 * 5);
  EXPECT_EQ(std::get<sim::GemmShape>(*graph->work_shape(op)).batch, 7);
}

TEST(GraphBuilderTest, AConvolutionCountsItsOutputsTimesItsFilter) {
  GraphBuilder builder = NewBuilder();
  // (9 + 2·1 − 3) / 2 + 1 = 5 rows, (11 − 5) / 1 + 1 = 7 columns.
  const Tensor y = builder.Conv(
      Input(builder, {2, 4, 9, 11}), Input(builder, {6, 4, 3, 5}), {.stride_h = 2, .pad_h = 1});
  EXPECT_THAT(y.shape, ElementsAre(2, 6, 5, 7));
  const auto graph = builder.Build();
  EXPECT_EQ(graph->op(FindOp(*graph, "Conv2D")).flops.count, 2.0 * (2 * 6 * 5 * 7) * (4 * 3 * 5));
}

TEST(GraphBuilderTest, AGroupedConvolutionReadsOnlyItsGroup) {
  GraphBuilder builder = NewBuilder();
  const Tensor y =
      builder.Conv(Input(builder, {2, 4, 5, 5}), Input(builder, {8, 1, 3, 3}), {.groups = 4});
  EXPECT_THAT(y.shape, ElementsAre(2, 8, 3, 3));
  const auto graph = builder.Build();
  const sim::Op& op = graph->op(FindOp(*graph, "DepthwiseConv2dNative"));
  EXPECT_EQ(op.flops.count, 2.0 * (2 * 8 * 3 * 3) * (1 * 3 * 3));
}

TEST(GraphBuilderTest, ADilatedConvolutionCountsAsADenseOneWithAsManyResults) {
  GraphBuilder builder = NewBuilder();
  // A filter of 2 with dilation 4 spans 5 elements: 12 − 5 + 1 = 8 results.
  const Tensor y =
      builder.Conv(Input(builder, {3, 2, 1, 12}), Input(builder, {6, 2, 1, 2}), {.dilation_w = 4});
  EXPECT_THAT(y.shape, ElementsAre(3, 6, 1, 8));
  const auto graph = builder.Build();
  const OpId op = FindOp(*graph, "Conv2D");
  EXPECT_EQ(graph->op(op).flops.count, 2.0 * (3 * 6 * 8) * (2 * 2));
  EXPECT_EQ(std::get<sim::ConvShape>(*graph->work_shape(op)).w, 9);  // 8 results of a filter of 2
}

TEST(GraphBuilderTest, ElementwiseOpsStretchExtentsOfOne) {
  GraphBuilder builder = NewBuilder();
  EXPECT_THAT(builder.Add(Input(builder, {2, 1, 5}), Input(builder, {3, 1})).shape,
              ElementsAre(2, 3, 5));
}

TEST(GraphBuilderTest, ViewsUseTheStorageOfTheirInput) {
  GraphBuilder builder = NewBuilder();
  builder.Reshape(Input(builder, {2, 6}), {3, 4});
  const auto graph = builder.Build();
  const OpId view = FindOp(*graph, "Reshape");
  EXPECT_EQ(graph->tensor(graph->output(view, 0)).alias, sim::Alias::kInput);
  EXPECT_TRUE(sim::IsZeroCost(*graph, view));
}

TEST(GraphBuilderTest, MovementsHaveTheExtentsTheyAreAskedFor) {
  GraphBuilder builder = NewBuilder();
  const Tensor x = Input(builder, {2, 3, 5});
  EXPECT_THAT(builder.Concat({x, x}, 1).shape, ElementsAre(2, 6, 5));
  EXPECT_THAT(builder.Transpose(x, {2, 0, 1}).shape, ElementsAre(5, 2, 3));
  EXPECT_THAT(builder.Slice(x, {0, 1, 2}, {2, 2, 3}).shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(builder.Pad(x, {0, 1, 0}, {0, 0, 4}).shape, ElementsAre(2, 4, 9));
  EXPECT_THAT(builder.Pack({x, x, x}, 1).shape, ElementsAre(2, 3, 3, 5));
  EXPECT_EQ(builder.Unpack(x, 1).size(), 3U);
  EXPECT_THAT(builder.Unpack(x, 1)[0].shape, ElementsAre(2, 5));
  EXPECT_THAT(builder.Squeeze(builder.ExpandDims(x, 1), {1}).shape, ElementsAre(2, 3, 5));
  EXPECT_THAT(builder.Reduce("Sum", x, {0, 2}).shape, ElementsAre(3));
  EXPECT_THAT(builder.ReduceKeeping("Mean", x, {1}).shape, ElementsAre(2, 1, 5));
}

TEST(GraphBuilderTest, ALookUpMovesTheRowsItFindsTwice) {
  GraphBuilder builder = NewBuilder();
  const Tensor words = builder.Placeholder("words", {2, 3}, sim::DType::kI32);
  EXPECT_THAT(builder.Gather(Input(builder, {1000, 7}), words).shape, ElementsAre(2, 3, 7));
  const auto graph = builder.Build();
  // 2·3·7 elements of 4 bytes, read and written; never the whole table.
  EXPECT_EQ(graph->op(FindOp(*graph, "GatherV2")).bytes_accessed, Bytes{2 * 42 * 4});
}

TEST(GraphBuilderTest, CountsOfBytesBeyondSixtyFourBitsAreRefused) {
  GraphBuilder builder = NewBuilder();
  Input(builder, {std::int64_t{1} << 40, std::int64_t{1} << 40});
  EXPECT_THROW(static_cast<void>(builder.Build()), InputError);
}

struct WrongCall {
  std::string name;
  std::function<void(GraphBuilder&, const Tensor&)> make;  // the tensor is [2, 3, 4, 5]
  std::string complaint;
};

void PrintTo(const WrongCall& call, std::ostream* out) {
  *out << call.name;
}

class WrongCallTest : public ::testing::TestWithParam<WrongCall> {};

TEST_P(WrongCallTest, SaysTheOpWhatWasFoundAndWhatWasExpected) {
  GraphBuilder builder = NewBuilder();
  const Tensor x = Input(builder, {2, 3, 4, 5});
  try {
    GetParam().make(builder, x);
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().complaint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    AllOfThem,
    WrongCallTest,
    ::testing::Values(
        WrongCall{"MatMul",
                  [](GraphBuilder& b, const Tensor& x) { b.MatMul(x, x); },
                  "op BatchMatMulV2: found shapes [2, 3, 4, 5], [2, 3, 4, 5], expected an inner "
                  "extent in common, not 5 and 4"},
        WrongCall{"Add",
                  [](GraphBuilder& b, const Tensor& x) {
                    b.Add(x, b.Constant("c", {3, 5}));
                  },
                  "op AddV2: found shapes [2, 3, 4, 5], [3, 5], expected shapes that are equal"},
        WrongCall{"Conv",
                  [](GraphBuilder& b, const Tensor& x) {
                    b.Conv(x, b.Constant("c", {6, 2, 1, 1}), {});
                  },
                  "op Conv2D: found shapes [2, 3, 4, 5], [6, 2, 1, 1], expected an image"},
        WrongCall{"ConvTooSmall",
                  [](GraphBuilder& b, const Tensor& x) {
                    b.Conv(x, b.Constant("c", {6, 3, 7, 1}), {});
                  },
                  "expected a filter that fits into the padded image"},
        WrongCall{"BiasAdd",
                  [](GraphBuilder& b, const Tensor& x) { b.BiasAdd(x, b.Constant("c", {4}), 1); },
                  "expected a bias of shape [3]"},
        WrongCall{"Reshape",
                  [](GraphBuilder& b, const Tensor& x) { b.Reshape(x, {7}); },
                  "op Reshape: found shapes [2, 3, 4, 5], expected as many elements as [7]"},
        WrongCall{"Concat",
                  [](GraphBuilder& b, const Tensor& x) {
                    b.Concat({x, b.Constant("c", {2, 3, 4, 4})}, 0);
                  },
                  "expected shapes that differ only at axis 0"},
        WrongCall{"Split",
                  [](GraphBuilder& b, const Tensor& x) { b.Split(x, 2, 1); },
                  "expected axis 1 to divide into 2 parts"},
        WrongCall{"Slice",
                  [](GraphBuilder& b, const Tensor& x) {
                    b.Slice(x, {0, 0, 0, 1}, {2, 3, 4, 5});
                  },
                  "expected room for [2, 3, 4, 5] from [0, 0, 0, 1] on"},
        WrongCall{"Transpose",
                  [](GraphBuilder& b, const Tensor& x) {
                    b.Transpose(x, {0, 0, 1, 2});
                  },
                  "expected a permutation of its axes, not [0, 0, 1, 2]"},
        WrongCall{"Squeeze",
                  [](GraphBuilder& b, const Tensor& x) { b.Squeeze(x, {1}); },
                  "expected extents 1 at axes [1]"},
        WrongCall{"Reduce",
                  [](GraphBuilder& b, const Tensor& x) { b.Reduce("Sum", x, {4}); },
                  "expected axis 4 to be below 4"},
        WrongCall{"Pool",
                  [](GraphBuilder& b, const Tensor& x) { b.Pool("MaxPool", x, {.height = 9}); },
                  "that holds a window of [9, 1]"},
        WrongCall{"CrossEntropy",
                  [](GraphBuilder& b, const Tensor& x) { b.CrossEntropy(x, b.Constant("c", {2})); },
                  "expected logits [batch, classes] and labels [batch]"}));

}  // namespace
}  // namespace opyard::graphs
