// Max-min fair sharing. Times in comments are microseconds; links carry 1000 bytes in one unless
// said otherwise. Simulate() also checks the reference simulator.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

sim::HardwareProfile Fair(sim::HardwareProfile machine) {
  machine.transfers.sharing = sim::Sharing::kFair;
  return machine;
}

TEST(FairCaseTest, LoneFlowTakesLatencyAndBytes) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, Fair(MeshMachine(2, 4)), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 7)));  // 4 + 1000 / 1000
  EXPECT_EQ(report.result.makespan, Microseconds(10));
}

TEST(FairCaseTest, TwoFlowsOverOneLinkHalveIt) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {1000, 1000}), TimedOp("b", 1, {{0, 0}, {0, 1}})});
  const sim::SimReport report = Simulate(graph, Fair(MeshMachine(2)), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 4), Span(2, 4)));
}

TEST(FairCaseTest, WhatAnEndingFlowLeavesGoesToTheOthers) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {1000, 3000}), TimedOp("b", 1, {{0, 0}, {0, 1}})});
  const sim::SimReport report = Simulate(graph, Fair(MeshMachine(2)), PlacedOn({0, 1}));
  // Both at 500: the first ends at 4; then 2000 bytes at 1000: 6.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 4), Span(2, 6)));
}

TEST(FairCaseTest, LatencyUsesNoBandwidth) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {2000}),
                                TimedOp("b", 2, {}, {1000}),
                                TimedOp("c", 1, {{0, 0}, {1, 0}})});
  const sim::SimReport report = Simulate(graph, Fair(StarMachine(3, 1)), PlacedOn({0, 1, 2}));
  // Routes of 1 + 1. a's flow runs alone 3–4 (1000 of 2000); b's begins at 4: both have 1000 bytes
  // at 500 and end at 6.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 6), Span(2, 6)));
}

TEST(FairCaseTest, FlowsThatAreHeldElsewhereLeaveTheirShare) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {300, 850}),
                                TimedOp("b", 1, {}, {300}),
                                TimedOp("c", 1, {{0, 0}, {1, 0}}),
                                TimedOp("d", 1, {{0, 1}})});
  sim::HardwareProfile machine = Fair(StarMachine(4));
  machine.links[2].bandwidth_bytes_per_s = 3e8;  // to d2: 300 in one
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 2, 3}));
  // d2's link gives 150 to each of two flows; a:1 has the other 850 of d0's link: 1–2, and the two
  // take 300 / 150 = 2: 1–3.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 3), Span(1, 2), Span(1, 3)));
}

TEST(FairCaseTest, BothDirectionsOfABusShareIt) {
  const auto graph = MakeGraph(
      {TimedOp("a", 2), TimedOp("b", 2), TimedOp("c", 1, {{1, 0}}), TimedOp("d", 1, {{0, 0}})});
  const sim::Plan plan = PlacedOn({0, 1, 0, 1});
  EXPECT_THAT(TransfersInUs(Simulate(graph, Fair(BusMachine(2)), plan)),
              ElementsAre(Span(2, 4), Span(2, 4)));
  EXPECT_THAT(TransfersInUs(Simulate(graph, Fair(MeshMachine(2)), plan)),
              ElementsAre(Span(2, 3), Span(2, 3)));  // a full-duplex link does not
}

TEST(FairCaseTest, NoBytesTakeTheLatencyAndNobodysBandwidth) {
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {0, 1000}), TimedOp("b", 1, {{0, 0}, {0, 1}})});
  const sim::SimReport report = Simulate(graph, Fair(MeshMachine(2, 4)), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 6), Span(2, 7)));
}

TEST(FairCaseTest, ThreeFlowsEndAtTheRoundedPicosecond) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {1000, 1000, 1000}), TimedOp("b", 1, {{0, 0}, {0, 1}, {0, 2}})});
  const sim::SimReport report = Simulate(graph, Fair(MeshMachine(2)), PlacedOn({0, 1}));
  EXPECT_EQ(report.transfers[2].finish, Microseconds(4));  // 1 + 1000 / (1000 / 3)
}

TEST(FairCaseTest, EdgesToOneDeviceAreFlowsThatShare) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  sim::HardwareProfile machine = Fair(MeshMachine(2));
  machine.transfers.one_per = sim::OnePer::kEdge;
  EXPECT_THAT(StartsInUs(Simulate(graph, machine, PlacedOn({0, 1, 1}))), ElementsAre(0, 4, 5));
}

TEST(FairCaseTest, CopyThatWaitsForMemoryUsesNoBandwidth) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000, 1000}),
                                TimedOp("b", 1, {{0, 0}}, {0}),
                                TimedOp("c", 1, {{0, 1}}, {0}),
                                TimedOp("x", 5, {}, {1000})});
  sim::HardwareProfile machine = Fair(MeshMachine(2));
  machine.memory.on_exceed = sim::OnExceed::kWait;
  machine.devices[1].memory = Bytes{3999};
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 1, 1}));
  // a:0 does not fit beside x, a:1 passes at full speed: 1–2; x to 5, c 5–6 frees a:1: a:0 6–9.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 2), Span(6, 9)));
}

}  // namespace
}  // namespace opyard::testing
