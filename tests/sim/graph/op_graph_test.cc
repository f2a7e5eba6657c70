#include "sim/graph/op_graph.h"

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

OpSpec Named(const std::string& name, std::vector<InputRef> inputs, std::size_t num_outputs) {
  OpSpec spec;
  spec.name = name;
  spec.type = "Relu";
  spec.inputs = std::move(inputs);
  spec.outputs.assign(num_outputs, OutputSpec{.bytes = Bytes{8}});
  return spec;
}

// The message with which a graph of `specs` is refused.
std::string Refusal(const std::vector<OpSpec>& specs) {
  OpGraphBuilder builder("g");
  for (const OpSpec& spec : specs) {
    builder.AddOp(spec);
  }
  try {
    (void)builder.Build("g.json#");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// The refusal of one op that `change` has spoilt.
std::string RefusalOf(const std::function<void(OpSpec&)>& change) {
  OpSpec spec = Named("a", {}, 1);
  change(spec);
  return Refusal({spec});
}

// A diamond whose ops stand in reverse: d(0) reads b and c twice, b(1) and c(2) read a(3).
std::shared_ptr<const OpGraph> ReversedDiamond() {
  OpGraphBuilder builder("diamond", "test");
  builder.AddOp(Named("d", {{1, 0}, {2, 0}, {2, 0}}, 0));
  builder.AddOp(Named("b", {{3, 0}}, 1));
  builder.AddOp(Named("c", {{3, 1}}, 1));
  builder.AddOp(Named("a", {}, 2));
  return builder.Build();
}

TEST(OpGraphTest, KeepsArgumentOrderAndRepeats) {
  const auto graph = ReversedDiamond();
  // Tensors by op: d has none, b makes 0, c makes 1, a makes 2 and 3.
  EXPECT_THAT(graph->inputs(OpId(0)), ElementsAre(TensorId(0), TensorId(1), TensorId(1)));
  EXPECT_THAT(graph->inputs(OpId(3)), IsEmpty());
  EXPECT_EQ(graph->output(OpId(3), 1), TensorId(3));
  EXPECT_EQ(graph->num_outputs(OpId(0)), 0U);
  EXPECT_EQ(graph->tensor(TensorId(3)).producer, OpId(3));
  EXPECT_EQ(graph->tensor(TensorId(3)).output_index, 1);
}

TEST(OpGraphTest, ListsEachConsumerOnce) {
  const auto graph = ReversedDiamond();
  EXPECT_THAT(graph->consumers(TensorId(1)), ElementsAre(OpId(0)));
  EXPECT_THAT(graph->consumers(TensorId(3)), ElementsAre(OpId(2)));
  EXPECT_EQ(graph->num_data_edges(), 5U);  // 3 arguments of d, one each of b and c
}

TEST(OpGraphTest, TopologicalOrderTakesTheSmallestFreeIndex) {
  const auto graph = ReversedDiamond();
  EXPECT_THAT(graph->topological_order(), ElementsAre(OpId(3), OpId(1), OpId(2), OpId(0)));
  EXPECT_EQ(graph->topological_index(OpId(0)), 3);
}

TEST(OpGraphTest, ControlInputsAreSortedAndListedOnce) {
  OpGraphBuilder builder("g");
  builder.AddOp(Named("a", {}, 1));
  builder.AddOp(Named("b", {}, 1));
  OpSpec last = Named("c", {{0, 0}}, 0);
  last.control_inputs = {1, 0, 1};
  builder.AddOp(last);
  const auto graph = builder.Build();
  EXPECT_THAT(graph->control_inputs(OpId(2)), ElementsAre(OpId(0), OpId(1)));
  EXPECT_THAT(graph->control_consumers(OpId(1)), ElementsAre(OpId(2)));
  EXPECT_EQ(graph->num_control_edges(), 2U);
}

TEST(OpGraphTest, DerivesWhatTheSpecLeavesOut) {
  OpGraphBuilder builder("g");
  builder.AddOp(Named("x", {}, 1));
  OpSpec product = Named("mm", {{0, 0}, {0, 0}}, 1);
  product.type = "MatMul";
  product.param_bytes = Bytes{5};
  builder.AddOp(product);
  const auto graph = builder.Build();
  const Op& op = graph->op(OpId(1));
  EXPECT_EQ(op.weight_bytes.count, 5);
  EXPECT_EQ(op.bytes_accessed.count, 29);  // two arguments of 8, one output of 8, 5 of weights
  EXPECT_EQ(op.fusion_class, FusionClass::kHeavy);
  EXPECT_EQ(graph->op(OpId(0)).fusion_class, FusionClass::kElementwise);
}

TEST(OpGraphTest, StatedValuesWinOverDerivedOnes) {
  OpGraphBuilder builder("g");
  OpSpec spec = Named("x", {}, 1);
  spec.param_bytes = Bytes{5};
  spec.weight_bytes = Bytes{0};
  spec.bytes_accessed = Bytes{3};
  spec.fusion_class = FusionClass::kOpaque;
  builder.AddOp(spec);
  const auto graph = builder.Build();
  EXPECT_EQ(graph->op(OpId(0)).weight_bytes.count, 0);
  EXPECT_EQ(graph->op(OpId(0)).bytes_accessed.count, 3);
  EXPECT_EQ(graph->op(OpId(0)).fusion_class, FusionClass::kOpaque);
}

TEST(OpGraphTest, ParameterAliasesReachThroughViews) {
  OpGraphBuilder builder("g");
  OpSpec view = Named("view", {{1, 0}}, 1);
  view.outputs[0].alias = Alias::kInput;
  builder.AddOp(view);
  OpSpec variable = Named("w", {}, 1);
  variable.outputs[0].alias = Alias::kParams;
  builder.AddOp(variable);
  builder.AddOp(Named("use", {{0, 0}}, 1));
  const auto graph = builder.Build();
  EXPECT_TRUE(graph->aliases_params(TensorId(0)));
  EXPECT_EQ(graph->tensor(TensorId(0)).aliased, TensorId(1));
  EXPECT_TRUE(graph->aliases_params(TensorId(1)));
  EXPECT_FALSE(graph->aliases_params(TensorId(2)));
}

TEST(OpGraphTest, KeepsShapesWorkAndMeasuredTimesOfEachOp) {
  OpGraphBuilder builder("g");
  builder.AddOp(Named("a", {}, 1));
  OpSpec spec = Named("b", {}, 2);
  spec.outputs[1].shape = {2, 3};
  spec.work = GemmShape{.m = 2, .n = 3, .k = 5};
  spec.seconds = {{"gpu", 0.5}, {"*", 0.25}};
  builder.AddOp(spec);
  const auto graph = builder.Build();
  EXPECT_THAT(graph->shape(TensorId(1)), IsEmpty());
  EXPECT_THAT(graph->shape(TensorId(2)), ElementsAre(2, 3));
  EXPECT_EQ(graph->work_shape(OpId(0)), nullptr);
  EXPECT_EQ(std::get<GemmShape>(*graph->work_shape(OpId(1))).k, 5);
  EXPECT_THAT(graph->measured_times(OpId(0)), IsEmpty());
  EXPECT_EQ(graph->measured_times(OpId(1))[1].seconds, 0.25);
}

TEST(OpGraphTest, NumbersColocationLabelsByFirstUse) {
  OpGraphBuilder builder("g");
  for (const char* label : {"", "late", "early", "late"}) {
    OpSpec spec = Named("op" + std::to_string(builder.num_ops()), {}, 0);
    spec.colocation = label;
    builder.AddOp(spec);
  }
  const auto graph = builder.Build();
  EXPECT_THAT(graph->colocation_labels(), ElementsAre("late", "early"));
  EXPECT_EQ(graph->op(OpId(0)).colocation, std::nullopt);
  EXPECT_EQ(graph->op(OpId(3)).colocation, 0);
}

TEST(OpGraphBuilderTest, IsEmptyAfterBuild) {
  OpGraphBuilder builder("g");
  builder.AddOp(Named("a", {}, 1));
  (void)builder.Build();
  EXPECT_EQ(builder.num_ops(), 0U);
}

TEST(OpGraphBuilderTest, RefusesAGraphWithoutOps) {
  EXPECT_EQ(Refusal({}), "g.json#/ops: found no op, expected at least one");
}

TEST(OpGraphBuilderTest, RefusesEmptyAndRepeatedNames) {
  EXPECT_EQ(Refusal({Named("", {}, 1)}), "g.json#/ops/0/name: expected a name that is not empty");
  EXPECT_EQ(Refusal({Named("a", {}, 1), Named("b", {}, 1), Named("a", {}, 1)}),
            "g.json#/ops/2/name: found \"a\", which is the name of /ops/0; expected unique names");
}

TEST(OpGraphBuilderTest, RefusesDanglingReferences) {
  EXPECT_EQ(Refusal({Named("a", {}, 1), Named("b", {{0, 0}, {2, 0}}, 1)}),
            "g.json#/ops/1/inputs/1/0: found 2, expected the index of an op (there are 2)");
  EXPECT_EQ(Refusal({Named("mm", {}, 1), Named("b", {{0, 2}}, 1)}),
            "g.json#/ops/1/inputs/0/1: found 2, expected an output of op \"mm\" (it has 1)");
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.control_inputs = {-1}; }),
              HasSubstr("/ops/0/control_inputs/0: found -1, expected the index of an op"));
}

TEST(OpGraphBuilderTest, NamesTheOpsOfACycle) {
  OpSpec a = Named("a", {}, 1);
  a.control_inputs = {2};
  EXPECT_EQ(
      Refusal({a, Named("b", {{0, 0}}, 1), Named("c", {{1, 0}}, 1), Named("d", {{2, 0}}, 1)}),
      "g.json#/ops: found the cycle \"a\" -> \"b\" -> \"c\" -> \"a\", expected an acyclic graph");
  EXPECT_THAT(Refusal({Named("self", {{0, 0}}, 1)}), HasSubstr("\"self\" -> \"self\""));
}

TEST(OpGraphBuilderTest, NamesEachKnotOfCyclesOnceByItsShortestThroughTheFirstOp) {
  // a waits for d of a -> b -> c -> d -> a, and for c, too: a -> b -> c -> a is shorter. e waits
  // for itself; f, between the two, is on no cycle.
  OpSpec a = Named("a", {}, 1);
  a.control_inputs = {3, 2};
  EXPECT_EQ(Refusal({a,
                     Named("b", {{0, 0}}, 1),
                     Named("c", {{1, 0}}, 1),
                     Named("d", {{2, 0}}, 1),
                     Named("e", {{4, 0}, {5, 0}}, 1),
                     Named("f", {{3, 0}}, 1)}),
            "g.json#/ops: found the cycle \"a\" -> \"b\" -> \"c\" -> \"a\", the shortest through "
            "\"a\" among 4 that wait for each other, expected an acyclic graph\n"
            "g.json#/ops: found the cycle \"e\" -> \"e\", expected an acyclic graph");
}

TEST(OpGraphBuilderTest, ACycleOfManyOpsIsNamedInALineWithoutRecursion) {
  constexpr std::int64_t kNumOps = 200'000;
  OpGraphBuilder builder("g");
  for (std::int64_t i = 0; i < kNumOps; ++i) {
    builder.AddOp(Named("n" + std::to_string(i), {{(i + kNumOps - 1) % kNumOps, 0}}, 1));
  }
  try {
    static_cast<void>(builder.Build("g.json#"));
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"n7\" -> … (200000 ops) -> \"n0\""));
    EXPECT_LT(std::string(error.what()).size(), 200U);
  }
}

TEST(OpGraphBuilderTest, ReportsAllProblemsAtOnce) {
  OpSpec a = Named("a", {{7, 0}}, 1);
  a.outputs[0].bytes = Bytes{-1};
  const std::string text = Refusal({a, Named("a", {{1, 0}}, 1)});
  EXPECT_THAT(text, HasSubstr("/ops/0/inputs/0/0: found 7"));
  EXPECT_THAT(text, HasSubstr("/ops/0/outputs/0/bytes: found -1, expected at least 0"));
  EXPECT_THAT(text, HasSubstr("/ops/1/name: found \"a\""));
  EXPECT_THAT(text, HasSubstr("the cycle \"a\" -> \"a\""));
}

TEST(OpGraphBuilderTest, RefusesSizesThatAreNegativeOrNotFinite) {
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.param_bytes = Bytes{-2}; }),
              HasSubstr("/ops/0/param_bytes: found -2, expected at least 0"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.weight_bytes = Bytes{-2}; }),
              HasSubstr("/ops/0/weight_bytes: found -2"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.flops.count = -1.0; }),
              HasSubstr("/ops/0/flops: found -1.0"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.flops.count = std::nan(""); }),
              HasSubstr("/ops/0/flops: found nan"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) {
                op.outputs[0].shape = {2, -3};
              }),
              HasSubstr("/ops/0/outputs/0/shape/1: found -3, expected at least 0"));
}

TEST(OpGraphBuilderTest, RefusesSumsBeyondInt64) {
  // The largest int64 fits alone; one byte more does not.
  EXPECT_EQ(RefusalOf([](OpSpec& op) { op.outputs[0].bytes = Bytes{kInt64Max}; }), "accepted");
  EXPECT_THAT(
      RefusalOf([](OpSpec& op) {
        op.outputs[0].bytes = Bytes{kInt64Max};
        op.weight_bytes = Bytes{1};
      }),
      HasSubstr("g.json#/ops/0: found inputs, outputs and weights of more bytes than int64"));
  OpSpec a = Named("a", {}, 0);
  OpSpec b = Named("b", {}, 0);
  a.workspace_bytes = Bytes{kInt64Max};
  b.workspace_bytes = Bytes{1};
  EXPECT_THAT(Refusal({a, b}), HasSubstr("g.json#/ops: found sizes that add up to more bytes"));
}

TEST(OpGraphBuilderTest, RefusesFlopsAndSecondsWhoseSumsOverflow) {
  OpSpec a = Named("a", {}, 0);
  OpSpec b = Named("b", {}, 0);
  a.flops.count = b.flops.count = 1.7e308;
  EXPECT_THAT(Refusal({a, b}), HasSubstr("found flops that add up to infinity"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) {
                op.seconds = {{"gpu0", 1e7}};
              }),
              HasSubstr("/ops/0/seconds/gpu0: found 10000000.000000, expected seconds from 0"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) {
                op.seconds = {{"*", 1.0}, {"*", 2.0}};
              }),
              HasSubstr("/ops/0/seconds: found \"*\" twice"));
}

TEST(OpGraphBuilderTest, RefusesReleasesOutOfRangeOrBeforeTooMuchWork) {
  const SimTime last = SimTime::FromSeconds(kLargestSeconds);
  EXPECT_EQ(RefusalOf([&](OpSpec& op) { op.release = last; }), "accepted");
  EXPECT_THAT(
      RefusalOf([&](OpSpec& op) { op.release = last + SimTime{1}; }),
      HasSubstr("/ops/0/release: found 4600000.000000, expected seconds from 0 to 4600000"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.release = SimTime{-2'000'000}; }),
              HasSubstr("/ops/0/release: found -0.000002, expected seconds from 0"));
  OpSpec a = Named("a", {}, 0);
  OpSpec b = Named("b", {}, 0);
  a.release = last;
  a.seconds = {{"*", 4.6e6}};
  b.seconds = {{"*", 1.0}};
  EXPECT_THAT(Refusal({a, b}),
              HasSubstr("found seconds that add up, after the last release, to 9200001"));
}

TEST(OpGraphBuilderTest, RefusesAnAliasToAnInputThatIsNotThere) {
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.outputs[0].alias = Alias::kInput; }),
              HasSubstr("/ops/0/outputs/0/alias: found 0, expected the position of an input (there "
                        "are 0) or \"params\""));
}

TEST(OpGraphBuilderTest, RefusesDeviceKindsThatLeaveNoDevice) {
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.device_kinds = DeviceKindSet::None(); }),
              HasSubstr("/ops/0/device_kinds: found no kind"));
  OpSpec a = Named("a", {}, 0);
  OpSpec b = Named("b", {}, 0);
  a.colocation = b.colocation = "g0";
  a.device_kinds = b.device_kinds = DeviceKindSet::None();
  a.device_kinds.Insert(DeviceKind::kGpu);
  b.device_kinds.Insert(DeviceKind::kCpu);
  EXPECT_THAT(Refusal({a, b}),
              HasSubstr("/ops/1/device_kinds: found no kind that the ops before it "
                        "with colocation \"g0\" allow"));
}

TEST(OpGraphBuilderTest, RefusesWorkShapesThatMakeNoSense) {
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.work = GemmShape{.m = 2, .n = 0, .k = 3}; }),
              HasSubstr("/ops/0/gemm/n: found 0, expected 1 to 2147483647"));
  EXPECT_THAT(RefusalOf([](OpSpec& op) { op.work = RnnShape{.hidden = 2, .batch = 3}; }),
              HasSubstr("/ops/0/rnn/timesteps: found 0"));
  ConvShape conv{.n = 1, .c = 6, .h = 5, .w = 5, .k = 4, .r = 3, .s = 9};
  EXPECT_THAT(RefusalOf([&](OpSpec& op) { op.work = conv; }),
              HasSubstr("/ops/0/conv/s: found a filter of width 9, expected at most the padded "
                        "width 5"));
  conv.s = 3;
  conv.groups = 3;  // divides 6 channels, not 4 filters
  EXPECT_THAT(RefusalOf([&](OpSpec& op) { op.work = conv; }),
              HasSubstr("/ops/0/conv/groups: found 3, expected a divisor of c = 6 and of k = 4"));
}

TEST(OpTypesTest, NamesAreReadBack) {
  for (std::size_t i = 0; i < kNumDTypes; ++i) {
    EXPECT_EQ(FindDType(NameOf(static_cast<DType>(i))), static_cast<DType>(i));
  }
  for (std::size_t i = 0; i < kNumFusionClasses; ++i) {
    EXPECT_EQ(FindFusionClass(NameOf(static_cast<FusionClass>(i))), static_cast<FusionClass>(i));
  }
  for (std::size_t i = 0; i < kNumDeviceKinds; ++i) {
    EXPECT_EQ(FindDeviceKind(NameOf(static_cast<DeviceKind>(i))), static_cast<DeviceKind>(i));
  }
  EXPECT_EQ(FindPhase("backward"), Phase::kBackward);
  EXPECT_EQ(FindPhase("sideways"), std::nullopt);
  EXPECT_EQ(FindMeasured("kernel"), Measured::kKernel);
  EXPECT_EQ(FindMeasured("with_launch"), Measured::kWithLaunch);
  EXPECT_EQ(FindMeasured("cold"), std::nullopt);
}

TEST(OpTypesTest, FusionClassComesFromTheType) {
  EXPECT_EQ(FusionClassOfType("Conv2DBackpropInput"), FusionClass::kHeavy);
  EXPECT_EQ(FusionClassOfType("BiasAdd"), FusionClass::kElementwise);
  EXPECT_EQ(FusionClassOfType("Softmax"), FusionClass::kReduction);
  EXPECT_EQ(FusionClassOfType("Transpose"), FusionClass::kReshape);
  EXPECT_EQ(FusionClassOfType("BroadcastTo"), FusionClass::kBroadcast);
  EXPECT_EQ(FusionClassOfType("Placeholder"), FusionClass::kOpaque);
  EXPECT_EQ(FusionClassOfType("NobodyKnowsThis"), FusionClass::kOpaque);
}

}  // namespace
}  // namespace opyard::sim
