// Which measured times belong to which op.
#include "experiments/graphs/timing_match.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/graphs/profiled_types.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeGraph;
using ::testing::Pair;

sim::OpSpec OpOf(const std::string& name, const std::string& type) {
  return {.name = name, .type = type};
}

sim::OpSpec OpOf(const std::string& name, const std::string& type, sim::Phase phase) {
  return {.name = name, .type = type, .phase = phase};
}

TimingMatch MatchTable(const sim::OpGraph& graph, std::vector<Timing> timings) {
  return Match(graph, {.list = std::move(timings)});
}

TimingMatch MatchTrace(const sim::OpGraph& graph, std::vector<Timing> timings) {
  for (Timing& timing : timings) {
    timing.type = ProfiledTypes(graph).TypeIn(timing.name);
  }
  return Match(graph, {.list = std::move(timings), .is_trace = true});
}

std::vector<std::string> NamesOf(const std::vector<UnmatchedTimings>& unmatched) {
  std::vector<std::string> names;
  for (const UnmatchedTimings& timings : unmatched) {
    names.push_back(timings.name);
  }
  return names;
}

TEST(TimingMatchTest, AnOpTakesTheMedianOfItsTimings) {
  const auto graph = MakeGraph({OpOf("a", "Relu"), OpOf("b", "Relu")});
  const TimingMatch match =
      MatchTable(*graph, {{"a", 9.0}, {"a", 2.0}, {"b", 4.0}, {"a", 3.0}, {"b", 5.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 3.0), Pair(1, 4.5)));
  EXPECT_EQ(match.num_by_name, 2);
  EXPECT_TRUE(match.unmatched.empty());
}

TEST(TimingMatchTest, TimingsOfATypeBelongToItsOpsInOrder) {
  // d stands last but is first in topological order among the ops without a timing by name.
  const auto graph = MakeGraph({testing::TimedOp("a", 1), OpOf("b", "mm"), OpOf("d", "MM")});
  const TimingMatch match = MatchTable(
      *graph, {{"aten::mm", 1.0}, {"aten::mm", 2.0}, {"aten::mm", 3.0}, {"aten::mm", 4.0}});
  // Two steps of two ops: b ran for 1 and 3, d for 2 and 4.
  EXPECT_THAT(match.seconds, ElementsAre(Pair(1, 2.0), Pair(2, 3.0)));
  EXPECT_EQ(match.num_by_order, 2);
}

// aten::mm and aten::addmm are both MatMul.
TEST(TimingMatchTest, AtenNamesAreOfTheTypeThatImportersGiveThem) {
  const auto graph = MakeGraph({OpOf("a", "MatMul"), OpOf("b", "MatMul"), OpOf("c", "Relu")});
  const TimingMatch match =
      MatchTable(*graph, {{"aten::addmm", 1.0}, {"aten::mm", 2.0}, {"aten::relu_", 3.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 1.0), Pair(1, 2.0), Pair(2, 3.0)));
  EXPECT_TRUE(match.unmatched.empty());
}

TEST(TimingMatchTest, NamesWinOverTypes) {
  const auto graph = MakeGraph({OpOf("mm", "mm"), OpOf("other", "mm")});
  const TimingMatch match = MatchTable(*graph, {{"mm", 5.0}, {"aten::mm", 7.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 5.0), Pair(1, 7.0)));
}

TEST(TimingMatchTest, WhatDoesNotComeOutEvenIsListed) {
  const auto graph = MakeGraph({OpOf("a", "mm"), OpOf("b", "mm"), OpOf("c", "Relu")});
  const TimingMatch match = MatchTable(
      *graph, {{"aten::mm", 1.0}, {"aten::mm", 2.0}, {"aten::mm", 3.0}, {"Memcpy HtoD", 1.0}});
  EXPECT_TRUE(match.seconds.empty());
  // The longest first: 1 + 2 + 3 s of 7.
  EXPECT_THAT(NamesOf(match.unmatched), ElementsAre("aten::mm", "Memcpy HtoD"));
  EXPECT_EQ(match.unmatched[0].num_timings, 3);
  EXPECT_EQ(match.unmatched[0].seconds, 6.0);
  EXPECT_EQ(match.total_s, 7.0);
}

// Three gradients read g; 20, 30 and 10 FLOPs of one run of 12 s: 4, 6 and 2 s.
TEST(TimingMatchTest, GradientsOfAConvolutionShareOneRunByTheirFlops) {
  std::vector<sim::OpSpec> ops = {OpOf("g", "Add"),
                                  OpOf("image", "Conv2DBackpropInput"),
                                  OpOf("filter", "Conv2DBackpropFilter"),
                                  OpOf("bias", "BiasAddGrad")};
  ops[0].outputs = {{.bytes = Bytes{8}}};
  const std::vector<double> flops = {0.0, 20.0, 30.0, 10.0};
  for (std::size_t i = 1; i < ops.size(); ++i) {
    ops[i].flops = Flops{flops[i]};
    ops[i].inputs = {{.op = 0, .output = 0}};
  }
  const TimingMatch match = MatchTrace(*MakeGraph(ops), {{"aten::convolution_backward", 12.0}});
  EXPECT_THAT(match.seconds,
              ElementsAre(Pair(1, DoubleEq(4.0)), Pair(2, DoubleEq(6.0)), Pair(3, DoubleEq(2.0))));
  EXPECT_EQ(match.num_by_order, 3);
}

// Two kernels for many weights each step: 3 + 3 s, then 4 + 4 s. The weights' FLOPs are 1 to 3, so
// that of a step's 6 s and 8 s the first takes 1.5 and 2, the second 4.5 and 6: medians 1.75, 5.25.
TEST(TimingMatchTest, UpdatesOfWeightsShareTheTimeOfAStep) {
  std::vector<sim::OpSpec> ops = {OpOf("a", "ApplyGradient"), OpOf("b", "ApplyGradient")};
  ops[0].flops = Flops{1.0};
  ops[1].flops = Flops{3.0};
  std::vector<Timing> timings;
  for (const double seconds : {3.0, 3.0, 4.0, 4.0}) {
    timings.push_back(
        {.name = "aten::_fused_adam_", .seconds = seconds, .step = seconds == 3.0 ? 0 : 1});
  }
  const TimingMatch match = MatchTrace(*MakeGraph(ops), std::move(timings));
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, DoubleEq(1.75)), Pair(1, DoubleEq(5.25))));
  EXPECT_THAT(match.unmatched, IsEmpty());
}

// The trace has one more copy, before the product; what follows the product is the graph's.
TEST(TimingMatchTest, WhatTheTraceHasBesideTheGraphIsFoundByItsNeighbours) {
  const auto graph = MakeGraph({OpOf("a", "MatMul"), OpOf("b", "Copy"), OpOf("c", "Relu")});
  const TimingMatch match = MatchTrace(
      *graph, {{"aten::copy_", 9.0}, {"aten::mm", 1.0}, {"aten::copy_", 2.0}, {"aten::relu", 3.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 1.0), Pair(1, 2.0), Pair(2, 3.0)));
  EXPECT_EQ(match.num_by_order, 2);
  EXPECT_EQ(match.num_by_neighbours, 1);
  EXPECT_THAT(NamesOf(match.unmatched), ElementsAre("aten::copy_"));
  EXPECT_EQ(match.unmatched[0].seconds, 9.0);
}

// There are two steps. The second has one sum more, in its backward pass; four sums for two ops,
// each step by itself: the forward op takes 1 and 3, the backward op 2 and 5.
TEST(TimingMatchTest, PassesAreAlignedByThemselves) {
  using enum sim::Phase;
  const auto graph = MakeGraph({OpOf("f", "Add", kForward),
                                OpOf("m", "MatMul", kForward),
                                OpOf("n", "MatMul", kBackward),
                                OpOf("b", "Add", kBackward)});
  const auto run = [](std::string name, double seconds, sim::Phase phase, std::int64_t step) {
    return Timing{.name = std::move(name), .seconds = seconds, .phase = phase, .step = step};
  };
  const TimingMatch match = MatchTrace(*graph,
                                       {run("aten::add", 1.0, kForward, 0),
                                        run("aten::mm", 1.0, kForward, 0),
                                        run("aten::mm", 1.0, kBackward, 0),
                                        run("aten::add_", 2.0, kBackward, 0),
                                        run("aten::add", 3.0, kForward, 1),
                                        run("aten::mm", 1.0, kForward, 1),
                                        run("aten::add_", 4.0, kBackward, 1),
                                        run("aten::mm", 1.0, kBackward, 1),
                                        run("aten::add_", 5.0, kBackward, 1)});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 2.0), Pair(1, 1.0), Pair(2, 1.0), Pair(3, 3.5)));
  EXPECT_EQ(match.unmatched[0].seconds, 4.0);
}

// One run of each op is the rule: four sums for two ops are not two steps of them. Nothing stands
// between them, so that the longest two are taken.
TEST(TimingMatchTest, OpsRunAsOftenAsMostOfThem) {
  const auto graph = MakeGraph({OpOf("a", "MatMul"),
                                OpOf("b", "MatMul"),
                                OpOf("c", "MatMul"),
                                OpOf("d", "Add"),
                                OpOf("e", "Add")});
  const TimingMatch match = MatchTrace(*graph,
                                       {{"aten::mm", 1.0},
                                        {"aten::mm", 1.0},
                                        {"aten::mm", 1.0},
                                        {"aten::add", 2.0},
                                        {"aten::add", 3.0},
                                        {"aten::add", 4.0},
                                        {"aten::add", 5.0}});
  EXPECT_THAT(match.seconds.at(3), 4.0);
  EXPECT_THAT(match.seconds.at(4), 5.0);
  EXPECT_EQ(match.num_by_neighbours, 2);
}

// The kernel of the first run is lost: the second one's time stands, and no median with 0.
TEST(TimingMatchTest, WhatIsNotMeasuredCountsInTheOrderAlone) {
  const auto graph = MakeGraph({OpOf("a", "MatMul"), OpOf("b", "Relu")});
  const TimingMatch match = MatchTrace(*graph,
                                       {{.name = "aten::mm", .is_measured = false},
                                        {.name = "aten::relu", .seconds = 1.0},
                                        {.name = "aten::mm", .seconds = 42e-6},
                                        {.name = "aten::relu", .seconds = 1.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 42e-6), Pair(1, 1.0)));
}

// On the CPU the gradient of dropout runs as a product.
TEST(TimingMatchTest, ATypeThatTheTraceDoesNotHaveRunsAsAnother) {
  const auto graph = MakeGraph({OpOf("a", "Mul"), OpOf("b", "DropoutGrad")});
  const TimingMatch match = MatchTrace(*graph, {{"aten::mul", 1.0}, {"aten::mul", 2.0}});
  EXPECT_THAT(match.seconds, ElementsAre(Pair(0, 1.0), Pair(1, 2.0)));
  const TimingMatch own =
      MatchTrace(*graph, {{"aten::mul", 1.0}, {"aten::native_dropout_backward", 2.0}});
  EXPECT_THAT(own.seconds, ElementsAre(Pair(0, 1.0), Pair(1, 2.0)));
}

}  // namespace
}  // namespace opyard::experiments
