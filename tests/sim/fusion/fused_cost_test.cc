// Costs of kernels with hand arithmetic: on a device of 1 TFLOP/s, 100 GB/s and launches of 2 us
// under the hard maximum, 100 kB take 1 us and 1e6 FLOPs take 1 us.
#include "sim/fusion/fused_cost.h"

#include <gtest/gtest.h>

#include "sim/fusion/internal_tensors.h"
#include "sim/plan/plan.h"
#include "tests/sim/cost/cost_cases.h"
#include "tests/sim/fusion/fusion_cases.h"

namespace opyard::sim {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::Microseconds;
using ::opyard::testing::RoundDevice;
using ::opyard::testing::TypedOp;

// The time of the kernel of op 1, everything on one device with equal priorities.
SimTime TimeOfKernelOfOp1(const std::shared_ptr<const OpGraph>& graph,
                          const Device& device = RoundDevice(),
                          double saving = 1.0) {
  HardwareProfile machine;
  machine.devices = {device};
  machine.fusion.max_ops = 300;
  const OpPlacement placement(graph->num_ops(), DeviceId(0));
  const std::vector<std::int32_t> priority(graph->num_ops(), 1);
  FusionWorkspace workspace;
  Fuse(PrepareFusion(*graph, machine.fusion), placement, priority, workspace);
  std::vector<std::uint8_t> is_internal;
  FindInternalTensors(*graph, workspace.kernels, is_internal);
  const FusedCost cost(graph, machine, opyard::testing::CostsOf(*graph, machine), saving);
  const std::int32_t kernel =
      workspace.kernels.kernel_of[At(graph->topological_index(OpId(std::size_t{1})))];
  return cost.Time(workspace.kernels, is_internal, At(kernel), DeviceId(0));
}

SimTime TimeOfKernelOfOp1(std::vector<OpSpec> ops, const Device& device = RoundDevice()) {
  return TimeOfKernelOfOp1(MakeGraph(std::move(ops)), device);
}

// The same where measured times hold no launch.
SimTime TimeOfMeasuredKernelOfOp1(std::vector<OpSpec> ops) {
  OpGraphBuilder builder("kernels");
  builder.SetMeasured(Measured::kKernel);
  for (OpSpec& op : ops) {
    builder.AddOp(std::move(op));
  }
  return TimeOfKernelOfOp1(builder.Build());
}

// An op that reads what op `from` makes and makes as much: 300 kB.
OpSpec Step(const std::string& name, std::int64_t from, const std::string& type = "Relu") {
  return TypedOp(name, type, {{from, 0}}, {300'000});
}

OpSpec Source() {
  return TypedOp("x", "Placeholder", {}, {300'000});
}

OpSpec Timed(OpSpec op, double us, const std::string& where = "*") {
  op.seconds.push_back({.where = where, .seconds = us * 1e-6});
  return op;
}

OpSpec WithFlops(OpSpec op, double flops) {
  op.flops = Flops{flops};
  return op;
}

// The same without data.
OpSpec Small(OpSpec op) {
  op.outputs[0].bytes = Bytes{0};
  return op;
}

// A view of what op `from` makes: no bytes of its own, none accessed.
OpSpec View(const std::string& name, std::int64_t from) {
  OpSpec op = TypedOp(name, "Reshape", {{from, 0}}, {300'000});
  op.outputs[0].alias = Alias::kInput;
  op.bytes_accessed = Bytes{0};
  return op;
}

TEST(FusedCostTest, AKernelOfOneOpTakesWhatTheOpTakes) {
  // Launch 2 us + 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Step("a", 0)}), Microseconds(8));
}

TEST(FusedCostTest, AnInternalTensorIsNeitherWrittenNorRead) {
  // a and b access 600 kB each, of which a's write and b's read fall away: launch + 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Step("a", 0), Step("b", 1)}), Microseconds(8));
}

TEST(FusedCostTest, AShareOfTheSavingMayBeAllThereIs) {
  // One after another a and b take 8 us each, together 8 us: of 8 us saved, half, a quarter, none.
  const auto graph = MakeGraph({Source(), Step("a", 0), Step("b", 1)});
  EXPECT_EQ(TimeOfKernelOfOp1(graph, RoundDevice(), 0.5), Microseconds(12));
  EXPECT_EQ(TimeOfKernelOfOp1(graph, RoundDevice(), 0.25), Microseconds(14));
  EXPECT_EQ(TimeOfKernelOfOp1(graph, RoundDevice(), 0.0), Microseconds(16));
}

TEST(FusedCostTest, AKernelOfOneOpHasNothingToSave) {
  EXPECT_EQ(TimeOfKernelOfOp1(MakeGraph({Source(), Step("a", 0)}), RoundDevice(), 0.5),
            Microseconds(8));
}

TEST(FusedCostTest, ATensorWithAnOutsideReaderIsStillWritten) {
  // 1200 kB − b's read; the look-up reads what a writes.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Step("a", 0), Step("b", 1), Step("lookup", 1, "Lookup")}),
            Microseconds(2 + 9));
}

TEST(FusedCostTest, ATensorToBeKeptIsStillWritten) {
  OpSpec a = Step("a", 0);
  a.outputs[0].keep = true;
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), a, Step("b", 1)}), Microseconds(2 + 9));
}

TEST(FusedCostTest, AnOutputThatNobodyReadsIsStillWritten) {
  OpSpec a = Step("a", 0);
  a.outputs.push_back({.bytes = Bytes{100'000}});
  // a accesses 700 kB, b 600 kB; a's first write and b's read fall away.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), a, Step("b", 1)}), Microseconds(2 + 7));
}

TEST(FusedCostTest, EachArgumentSavesARead) {
  // b multiplies a by itself: 600 kB + 900 kB − two reads − a's write.
  EXPECT_EQ(
      TimeOfKernelOfOp1({Source(), Step("a", 0), TypedOp("b", "Mul", {{1, 0}, {1, 0}}, {300'000})}),
      Microseconds(2 + 6));
}

TEST(FusedCostTest, FlopTermsAddUp) {
  // 5 us + 4 us of FLOPs are more than 600 kB.
  EXPECT_EQ(
      TimeOfKernelOfOp1({Source(), WithFlops(Step("a", 0), 5e6), WithFlops(Step("b", 1), 4e6)}),
      Microseconds(2 + 9));
}

TEST(FusedCostTest, EachOpKeepsItsOwnEfficiency) {
  // A matrix product at half the peak, 3e6 FLOPs in 6 us, and an elementwise op, 1 us.
  Device device = RoundDevice();
  device.cost.classes[static_cast<std::size_t>(FusionClass::kHeavy)].efficiency = 0.5;
  EXPECT_EQ(TimeOfKernelOfOp1(
                {Source(), WithFlops(Step("mm", 0, "MatMul"), 3e6), WithFlops(Step("b", 1), 1e6)},
                device),
            Microseconds(2 + 7));
}

TEST(FusedCostTest, NoMoreTrafficIsSavedThanThereIs) {
  // The ops say that they access 100 kB and nothing; 600 kB would be saved.
  OpSpec a = Step("a", 0);
  a.bytes_accessed = Bytes{100'000};
  OpSpec b = Step("b", 1);
  b.bytes_accessed = Bytes{0};
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), a, b}), Microseconds(2));
}

TEST(FusedCostTest, MeasuredOpsSaveLaunchesAndTraffic) {
  // 10 us + 20 us − one launch − 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Timed(Step("a", 0), 10), Timed(Step("b", 1), 20)}),
            Microseconds(30 - 2 - 6));
}

TEST(FusedCostTest, MeasuredAndModelledOpsMix) {
  // 17 us measured, 8 us modelled.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Timed(Step("a", 0), 17), Step("b", 1)}),
            Microseconds(25 - 2 - 6));
}

TEST(FusedCostTest, AMeasuredKernelIsNoShorterThanItsLongestOp) {
  // 3 us + 20 us − 8 us would be 15 us.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Timed(Step("a", 0), 3), Timed(Step("b", 1), 20)}),
            Microseconds(20));
}

TEST(FusedCostTest, AMeasuredKernelIsNoShorterThanItsFlops) {
  // a takes 1 us; b and c 2 us + max(10 us of FLOPs, 6 us). Saved are two launches and two writes
  // and reads: 25 us − 4 us − 12 us = 9 us, the longest op takes 12 us, the FLOPs 20 us.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(),
                               Timed(Step("a", 0), 1),
                               WithFlops(Step("b", 1), 10e6),
                               WithFlops(Step("c", 2), 10e6)}),
            Microseconds(20));
}

TEST(FusedCostTest, AViewBetweenTwoOpsChangesNothing) {
  // As without it: launch + 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Step("a", 0), View("v", 1), Step("b", 2)}),
            Microseconds(8));
}

TEST(FusedCostTest, AViewOfAnInputSavesNoRead) {
  // v renames x; b still reads 300 kB and writes 300 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), View("v", 0), Step("b", 1)}), Microseconds(8));
}

TEST(FusedCostTest, AViewThatLeavesTheKernelIsWrittenInPlaceOfWhatItShows) {
  // a's own output stays inside, v's goes to the look-up: launch + 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Step("a", 0), View("v", 1), Step("lookup", 2, "Lookup")}),
            Microseconds(8));
}

TEST(FusedCostTest, AViewOfAViewThatLeavesTheKernelIsWritten) {
  EXPECT_EQ(TimeOfKernelOfOp1(
                {Source(), Step("a", 0), View("v", 1), View("w", 2), Step("lookup", 3, "Lookup")}),
            Microseconds(8));
}

TEST(FusedCostTest, ViewsAloneTakeNoTime) {
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), View("v", 0), View("w", 1)}), Microseconds(0));
}

TEST(FusedCostTest, AViewCountsAsNoLaunchAmongMeasuredOps) {
  // 10 us + 20 us − one launch − 600 kB; v, measured to take no time, is no launch less.
  EXPECT_EQ(
      TimeOfKernelOfOp1(
          {Source(), Timed(Step("a", 0), 10), Timed(View("v", 1), 0), Timed(Step("b", 2), 20)}),
      Microseconds(30 - 2 - 6));
}

TEST(FusedCostTest, AViewMeasuredElsewhereIsAViewHere) {
  // 10 us + 10 us − one launch: a CPU's time for v is no launch of this GPU.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(),
                               Timed(Small(Step("a", 0)), 10),
                               Timed(Small(View("v", 1)), 3, "cpu"),
                               Timed(Small(Step("b", 2)), 10)}),
            Microseconds(20 - 2));
}

TEST(FusedCostTest, AViewMeasuredHereToTakeTimeIsAnOpLikeAnyOther) {
  // 10 us + 3 us + 10 us − two launches.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(),
                               Timed(Small(Step("a", 0)), 10),
                               Timed(Small(View("v", 1)), 3, "gpu"),
                               Timed(Small(Step("b", 2)), 10)}),
            Microseconds(23 - 4));
}

TEST(FusedCostTest, AViewMeasuredToTakeNoTimeDoesNotMakeItsKernelMeasured) {
  // As without it: launch + 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Step("a", 0), Timed(View("v", 1), 0), Step("b", 2)}),
            Microseconds(8));
}

TEST(FusedCostTest, AnUpdateInPlaceThatLeavesThroughAViewIsWritten) {
  // p updates what the pool, a kernel of its own, has made, and only v shows it to the look-up:
  // what p takes alone, launch + 600 kB.
  OpSpec p = WithFlops(Step("p", 2), 3);
  p.outputs[0].alias = Alias::kInput;
  EXPECT_EQ(
      TimeOfKernelOfOp1(
          {Source(), View("v", 3), Step("pool", 0, "MaxPool"), p, Step("lookup", 1, "Lookup")}),
      Microseconds(8));
}

TEST(FusedCostTest, WhatSeveralViewsShowIsWrittenOnce) {
  // a's 300 kB leave as v and as w: launch + 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(),
                               Step("a", 0),
                               View("v", 1),
                               View("w", 1),
                               TypedOp("lookup", "Lookup", {{2, 0}, {3, 0}}, {4})}),
            Microseconds(8));
}

TEST(FusedCostTest, OnlyThePartThatAViewShowsIsWritten) {
  // 100 of a's 300 kB leave: launch + 400 kB.
  OpSpec part = View("part", 1);
  part.outputs[0].bytes = Bytes{100'000};
  EXPECT_EQ(TimeOfKernelOfOp1({Source(), Step("a", 0), part, Step("lookup", 2, "Lookup")}),
            Microseconds(6));
}

TEST(FusedCostTest, AViewOfWhatLeavesUnderAnotherNameIsNotWrittenAgain) {
  // v leaves, and w, a view of it, too: launch + 600 kB.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(),
                               Step("a", 0),
                               View("v", 1),
                               View("w", 2),
                               TypedOp("lookup", "Lookup", {{2, 0}, {3, 0}}, {4})}),
            Microseconds(8));
}

TEST(FusedCostTest, MeasuredKernelsPayOneLaunchTogether) {
  // 10 us + 20 us + one launch − 600 kB.
  EXPECT_EQ(TimeOfMeasuredKernelOfOp1({Source(), Timed(Step("a", 0), 10), Timed(Step("b", 1), 20)}),
            Microseconds(30 + 2 - 6));
}

TEST(FusedCostTest, AMeasuredKernelAloneTakesALaunchMore) {
  EXPECT_EQ(TimeOfMeasuredKernelOfOp1({Source(), Timed(Step("a", 0), 10)}), Microseconds(12));
}

TEST(FusedCostTest, AMeasuredKernelAndAModelledOpMix) {
  // 17 us and 6 us (600 kB) + one launch − 600 kB.
  EXPECT_EQ(TimeOfMeasuredKernelOfOp1({Source(), Timed(Step("a", 0), 17), Step("b", 1)}),
            Microseconds(23 + 2 - 6));
}

TEST(FusedCostTest, MeasuredKernelsTogetherAreNoFasterThanTheSlowest) {
  // 3 us + 20 us + one launch − 600 kB would be 19 us; b alone takes 20 us and a launch.
  EXPECT_EQ(TimeOfMeasuredKernelOfOp1({Source(), Timed(Step("a", 0), 3), Timed(Step("b", 1), 20)}),
            Microseconds(22));
}

// 250 ops of 5 us in a row, with next to no data between them.
std::vector<OpSpec> ManySmallOps() {
  std::vector<OpSpec> ops = {Source()};
  for (std::int64_t i = 0; i < 250; ++i) {
    ops.push_back(Timed(Small(Step("op" + std::to_string(i), i)), 5));
  }
  return ops;
}

TEST(FusedCostTest, FusingMeasuredOpsSavesTheLaunchesThatWereMeasured) {
  EXPECT_EQ(TimeOfKernelOfOp1(ManySmallOps()), Microseconds(250 * 5 - 249 * 2));
}

TEST(FusedCostTest, FusingMeasuredKernelsSavesNoLaunchThatWasNotMeasured) {
  // One launch for all, which no kernel's time holds.
  EXPECT_EQ(TimeOfMeasuredKernelOfOp1(ManySmallOps()), Microseconds(250 * 5 + 2));
}

TEST(FusedCostTest, AMatrixProductWithBiasAndActivationPaysOneLaunch) {
  // mm: 30 us of FLOPs, writes 300 kB, its 600 kB hide behind. bias: launch + 310 kB, of which
  // 300 kB are written. add: 900 kB. relu: 600 kB. Alone: 32 + 5.1 + 11 + 8 = 56.1 us. Fused: 300
  // kB read by mm, 10 kB by bias, 300 kB written by relu hide behind the FLOPs, too.
  EXPECT_EQ(TimeOfKernelOfOp1({Source(),
                               WithFlops(Step("mm", 0, "MatMul"), 30e6),
                               TypedOp("b", "Placeholder", {}, {10'000}),
                               TypedOp("bias", "BroadcastTo", {{2, 0}}, {300'000}),
                               TypedOp("add", "Add", {{1, 0}, {3, 0}}, {300'000}),
                               Step("relu", 4)}),
            Microseconds(32));
}

}  // namespace
}  // namespace opyard::sim
