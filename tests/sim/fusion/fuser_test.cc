// The worked examples of docs/modelling.md, "Fusion", and each rule of merging alone.
#include "sim/fusion/fuser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/fusion/fusion_cases.h"

namespace opyard::sim {
namespace {

using ::opyard::testing::KernelsOf;
using ::opyard::testing::TypedOp;
using ::testing::ElementsAre;

// a → b → c → d.
std::vector<OpSpec> ChainOfFour() {
  return {TypedOp("a", "Relu"),
          TypedOp("b", "Relu", {{0, 0}}),
          TypedOp("c", "Relu", {{1, 0}}),
          TypedOp("d", "Relu", {{2, 0}})};
}

TEST(FuserTest, AChainOfElementwiseOpsIsOneKernel) {
  EXPECT_THAT(KernelsOf(ChainOfFour()), ElementsAre("a b c d"));
}

TEST(FuserTest, EqualPrioritiesPairUpAChainFromItsStartUnderACapOfTwo) {
  // a is visited first and pulls b in; {a, b} is full when b is visited; c samples d in.
  EXPECT_THAT(KernelsOf(ChainOfFour(), {.limits = {.max_ops = 2}}), ElementsAre("a b", "c d"));
}

TEST(FuserTest, PrioritiesSaveTheLargeTensorUnderACapOfTwo) {
  // a –1 MB→ b –9 MB→ c –1 MB→ d. From the start, the 9 MB would be written and read between
  // {a, b} and {c, d}. With b first, they stay on chip: b pulls c in; a cannot join them, nor d.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu", {}, {1'000'000}),
                         TypedOp("b", "Relu", {{0, 0}}, {9'000'000}),
                         TypedOp("c", "Relu", {{1, 0}}, {1'000'000}),
                         TypedOp("d", "Relu", {{2, 0}}, {1'000'000})},
                        {.priority = {1, 2, 1, 1}, .limits = {.max_ops = 2}}),
              ElementsAre("a", "b c", "d"));
}

TEST(FuserTest, AmongConsumersThatOfHighestPriorityGoesFirst) {
  // a → b, a → c, of which one has room. c has the higher priority but fewer bytes.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu", {}, {5000, 2000}),
                         TypedOp("b", "Relu", {{0, 0}}),
                         TypedOp("c", "Relu", {{0, 1}})},
                        {.priority = {3, 1, 2}, .limits = {.max_ops = 2}}),
              ElementsAre("a c", "b"));
}

TEST(FuserTest, AmongConsumersOfEqualPriorityThatWithMoreBytesGoesFirst) {
  // b reads 2000 bytes of a, c 1500 + 1500 bytes by two tensors.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu", {}, {2000, 1500, 1500}),
                         TypedOp("b", "Relu", {{0, 0}}),
                         TypedOp("c", "Add", {{0, 1}, {0, 2}})},
                        {.limits = {.max_ops = 2}}),
              ElementsAre("a c", "b"));
}

TEST(FuserTest, ATensorReadTwiceIsOneEdge) {
  // c reads 1500 bytes of a in two arguments, b 2000 in one.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu", {}, {2000, 1500}),
                         TypedOp("b", "Relu", {{0, 0}}),
                         TypedOp("c", "Mul", {{0, 1}, {0, 1}})},
                        {.limits = {.max_ops = 2}}),
              ElementsAre("a b", "c"));
}

TEST(FuserTest, AmongConsumersAlikeThatOfSmallerTopologicalIndexGoesFirst) {
  EXPECT_THAT(
      KernelsOf(
          {TypedOp("a", "Relu"), TypedOp("b", "Relu", {{0, 0}}), TypedOp("c", "Relu", {{0, 0}})},
          {.limits = {.max_ops = 2}}),
      ElementsAre("a b", "c"));
}

TEST(FuserTest, ADiamondFusesFromItsNearSide) {
  // a → b, a → c, b → c, and c has the highest priority of a's consumers. {a, c} would wait for b,
  // which waits for a. So a pulls in b first; now a → b → c lies inside, and c follows.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"),
                         TypedOp("b", "Relu", {{0, 0}}),
                         TypedOp("c", "Add", {{0, 0}, {1, 0}})},
                        {.priority = {5, 1, 4}}),
              ElementsAre("a b c"));
}

TEST(FuserTest, ADecliningOpInADiamondKeepsItsEndsApart) {
  // b declines, so the way a → b → c stays outside, and {a, c} stays illegal.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"),
                         TypedOp("b", "Relu", {{0, 0}}),
                         TypedOp("c", "Add", {{0, 0}, {1, 0}})},
                        {.priority = {5, 0, 4}}),
              ElementsAre("a", "b", "c"));
}

TEST(FuserTest, ADecliningOpInTheMiddleSplitsAChain) {
  EXPECT_THAT(KernelsOf(ChainOfFour(), {.priority = {1, 1, 0, 1}}), ElementsAre("a b", "c", "d"));
}

TEST(FuserTest, OpsThatAllDeclineStayAlone) {
  EXPECT_THAT(KernelsOf(ChainOfFour(), {.priority = {0, 0, 0, 0}}),
              ElementsAre("a", "b", "c", "d"));
}

TEST(FuserTest, OpsOnDifferentDevicesStayApart) {
  EXPECT_THAT(KernelsOf(ChainOfFour(), {.devices = {0, 0, 1, 1}}), ElementsAre("a b", "c d"));
}

TEST(FuserTest, AWayThroughAnotherDeviceForbidsAKernel) {
  // a → x → b with x elsewhere, and a → b. {a, b} would wait for x, and x for {a, b}.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"),
                         TypedOp("x", "Relu", {{0, 0}}),
                         TypedOp("b", "Add", {{0, 0}, {1, 0}})},
                        {.devices = {0, 1, 0}}),
              ElementsAre("a", "x", "b"));
}

TEST(FuserTest, AControlEdgeClosesAWayAround) {
  // a → b, and a → x (opaque) → b by a control edge.
  OpSpec b = TypedOp("b", "Relu", {{0, 0}});
  b.control_inputs = {1};
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"), TypedOp("x", "Lookup", {{0, 0}}), b}),
              ElementsAre("a", "x", "b"));
}

TEST(FuserTest, AControlEdgeAloneDoesNotFuse) {
  OpSpec b = TypedOp("b", "Relu");
  b.control_inputs = {0};
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"), b}), ElementsAre("a", "b"));
}

TEST(FuserTest, TwoKernelsThatWouldWaitForEachOtherAreNotMade) {
  // Candidates are a → d and c → b. With a and d one kernel, c and b are not: {a, d} → {c, b}
  // through e, which reads a and feeds c, and {c, b} → {a, d} through f, which reads b and feeds d.
  // Edges: a → e → c → b → f → d, a → d. The way a → e → … → d is long, so only c and b fuse.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"),
                         TypedOp("e", "Lookup", {{0, 0}}),
                         TypedOp("c", "Relu", {{1, 0}}),
                         TypedOp("b", "Relu", {{2, 0}}),
                         TypedOp("f", "Lookup", {{3, 0}}),
                         TypedOp("d", "Add", {{0, 0}, {4, 0}})}),
              ElementsAre("a", "e", "c b", "f", "d"));
}

TEST(FuserTest, AnEarlierKernelClosesAWayAround) {
  // a → b and a → x on one side, y → b on the other. Alone, nothing leads from x to y. Once x and y
  // share a kernel (x → y is not needed: x → z ← y with z of the highest priority), a → {x, z, y} →
  // b is a way around.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"),
                         TypedOp("x", "Relu", {{0, 0}}),
                         TypedOp("y", "Relu"),
                         TypedOp("z", "Add", {{1, 0}, {2, 0}}),
                         TypedOp("b", "Add", {{0, 0}, {2, 0}})},
                        {.devices = {1, 0, 0, 0, 1}, .priority = {1, 3, 3, 3, 1}}),
              ElementsAre("a", "x y z", "b"));
}

TEST(FuserTest, TwoReductionsInARowStayApart) {
  // a → sum → b → max: a, sum and b join; with max, the path would hold two reductions.
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"),
                         TypedOp("sum", "Sum", {{0, 0}}),
                         TypedOp("b", "Relu", {{1, 0}}),
                         TypedOp("max", "Max", {{2, 0}})}),
              ElementsAre("a sum b", "max"));
}

TEST(FuserTest, TwoReductionsSideBySideMayJoin) {
  // Both read a, and nothing leads from one to the other.
  EXPECT_THAT(
      KernelsOf(
          {TypedOp("a", "Relu"), TypedOp("sum", "Sum", {{0, 0}}), TypedOp("max", "Max", {{0, 0}})}),
      ElementsAre("a sum max"));
}

TEST(FuserTest, TwoReductionsInAClusterKeepOutWhatWouldLinkThem) {
  // sum1 → b ← sum2 joins them side by side; c reads b, max reads c: behind both.
  EXPECT_THAT(KernelsOf({TypedOp("sum1", "Sum"),
                         TypedOp("sum2", "Sum"),
                         TypedOp("b", "Add", {{0, 0}, {1, 0}}),
                         TypedOp("c", "Relu", {{2, 0}}),
                         TypedOp("max", "Max", {{3, 0}}),
                         TypedOp("d", "Relu", {{4, 0}})}),
              ElementsAre("sum1 sum2 b c", "max d"));
}

TEST(FuserTest, AHeavyOpStartsAKernelThatSideInputsMayJoin) {
  // MatMul → Add ← Broadcast.
  EXPECT_THAT(KernelsOf({TypedOp("mm", "MatMul"),
                         TypedOp("bias", "BroadcastTo"),
                         TypedOp("add", "Add", {{0, 0}, {1, 0}})}),
              ElementsAre("mm bias add"));
}

TEST(FuserTest, AHeavyOpFollowsNoOtherOp) {
  EXPECT_THAT(KernelsOf({TypedOp("relu", "Relu"), TypedOp("mm", "MatMul", {{0, 0}})}),
              ElementsAre("relu", "mm"));
}

TEST(FuserTest, AProducerOfAHeavyOpStaysOutOfItsKernel) {
  // relu → mm → add and relu → add. {mm, add} stands first by priority. relu and add could join,
  // were it not that relu makes what mm reads.
  EXPECT_THAT(KernelsOf({TypedOp("relu", "Relu"),
                         TypedOp("mm", "MatMul", {{0, 0}}),
                         TypedOp("add", "Add", {{1, 0}, {0, 0}})},
                        {.priority = {1, 2, 1}}),
              ElementsAre("relu", "mm add"));
}

TEST(FuserTest, AKernelHoldsOneHeavyOp) {
  // mm1 → add ← mm2: mm1 pulls add in, and mm2 comes too late.
  EXPECT_THAT(KernelsOf({TypedOp("mm1", "MatMul"),
                         TypedOp("mm2", "MatMul"),
                         TypedOp("add", "Add", {{0, 0}, {1, 0}})}),
              ElementsAre("mm1 add", "mm2"));
}

TEST(FuserTest, AnOpaqueOpNeverFuses) {
  EXPECT_THAT(KernelsOf({TypedOp("a", "Relu"),
                         TypedOp("lookup", "Lookup", {{0, 0}}),
                         TypedOp("b", "Relu", {{1, 0}})}),
              ElementsAre("a", "lookup", "b"));
}

TEST(FuserTest, DepthsTooFarApartStayApart) {
  // a → p → q → z and a → z. a has depth 0 and z 3. With everything between pulled in, z could
  // join {a, p, q} through q (depth 2), but not with a span of 0.
  const std::vector<OpSpec> ops = {TypedOp("a", "Relu"),
                                   TypedOp("p", "Lookup", {}),
                                   TypedOp("q", "Lookup", {{1, 0}}),
                                   TypedOp("z", "Add", {{0, 0}, {2, 0}})};
  // z lies at depth 2 behind p and q; a at 0.
  EXPECT_THAT(KernelsOf(ops, {.limits = {.max_depth_span = 2}}), ElementsAre("a z", "p", "q"));
  EXPECT_THAT(KernelsOf(ops, {.limits = {.max_depth_span = 1}}), ElementsAre("a", "p", "q", "z"));
}

TEST(FuserTest, TheDepthSpanIsOfTheTwoOpsNotOfTheirClusters) {
  // Four ops in a row span three levels, each edge one.
  EXPECT_THAT(KernelsOf(ChainOfFour(), {.limits = {.max_depth_span = 1}}), ElementsAre("a b c d"));
}

TEST(FuserTest, KernelsOfOneOpEachUnderACapOfOne) {
  EXPECT_THAT(KernelsOf(ChainOfFour(), {.limits = {.max_ops = 1}}),
              ElementsAre("a", "b", "c", "d"));
}

TEST(FuserTest, PrioritiesOfAllDigitsAreOrdered) {
  // Under a cap of two the middle edge of each chain of four goes first only if its op is visited
  // first: 1025 > 1024 > 1 and 1 000 000 > 999 999.
  std::vector<OpSpec> ops = ChainOfFour();
  for (const auto& [name, from] : {std::pair("e", -1), {"f", 4}, {"g", 5}, {"h", 6}}) {
    ops.push_back(from < 0 ? TypedOp(name, "Relu") : TypedOp(name, "Relu", {{from, 0}}));
  }
  EXPECT_THAT(KernelsOf(ops,
                        {.priority = {1024, 1025, 1, 1024, 999'999, 1'000'000, 1, 1},
                         .limits = {.max_ops = 2}}),
              ElementsAre("a", "b c", "d", "e", "f g", "h"));
}

}  // namespace
}  // namespace opyard::sim
