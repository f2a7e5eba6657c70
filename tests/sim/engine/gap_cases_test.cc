// Rests after ops and transfers. Times in comments are microseconds; links carry 1000 bytes in one.
// Simulate() also checks the reference simulator.
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

sim::HardwareProfile WithGaps(sim::HardwareProfile machine,
                              std::int64_t after_op_us,
                              std::int64_t after_transfer_us) {
  machine.execution.gap_after_op = Microseconds(after_op_us);
  machine.transfers.gap_after = Microseconds(after_transfer_us);
  return machine;
}

sim::HardwareProfile CountingTrailingGaps(sim::HardwareProfile machine) {
  machine.execution.trailing_gaps_count = true;
  return machine;
}

TEST(GapCaseTest, DeviceRestsAfterAnOp) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 4)});
  const sim::SimReport report = Simulate(graph, WithGaps(MeshMachine(1), 2, 0), PlacedOn({0, 0}));
  // a 0–3, rest to 5, b 5–9; the rest after b does not count.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 5));
  EXPECT_EQ(report.result.makespan, Microseconds(9));
  EXPECT_EQ(report.devices[0].busy, Microseconds(7));
}

TEST(GapCaseTest, TrailingGapOfADeviceCountsWhereTheMachineSaysSo) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 4)});
  const sim::SimReport report =
      Simulate(graph, CountingTrailingGaps(WithGaps(MeshMachine(1), 2, 0)), PlacedOn({0, 0}));
  EXPECT_EQ(report.result.makespan, Microseconds(11));  // 9 + 2
}

TEST(GapCaseTest, OpWithoutTimeLeavesNoGap) {
  const auto graph = MakeGraph({TimedOp("zero", 0), TimedOp("b", 3), TimedOp("last", 0)});
  const sim::SimReport report =
      Simulate(graph, CountingTrailingGaps(WithGaps(MeshMachine(1), 2, 0)), PlacedOn({0, 0, 0}));
  // zero 0–0, b 0–3 at once, rest to 5, last 5–5 without a rest.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 5));
  EXPECT_EQ(report.result.makespan, Microseconds(5));
}

TEST(GapCaseTest, OutputsLeaveWhileTheirDeviceRests) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 4, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, WithGaps(MeshMachine(2), 5, 0), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(3, 4)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 4));
}

TEST(GapCaseTest, WhatBecomesReadyDuringAGapCompetesAtItsEnd) {
  sim::OpSpec high = TimedOp("high", 1);
  high.control_inputs = {1};
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("gate", 4), TimedOp("low", 1), high});
  const sim::SimReport report = Simulate(
      graph, WithGaps(MeshMachine(2), 3, 0), PlacedWithPriorities({0, 1, 0, 0}, {10, 0, 1, 9}));
  // a 0–2, rest to 5; low waits since 0, high since 4: high 5–6, rest to 9, low 9–10.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 9, 5));
}

TEST(GapCaseTest, ChannelRestsAfterATransfer) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {1000, 1000}), TimedOp("b", 1, {{0, 0}, {0, 1}})});
  const sim::SimReport report = Simulate(graph, WithGaps(MeshMachine(2), 0, 5), PlacedOn({0, 1}));
  // 2–3, rest to 8, 8–9.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 3), Span(8, 9)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 9));
}

TEST(GapCaseTest, TransferOfNoBytesMakesItsChannelRestToo) {
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {0, 1000}), TimedOp("b", 1, {{0, 0}, {0, 1}})});
  const sim::SimReport report = Simulate(graph, WithGaps(MeshMachine(2), 0, 5), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 2), Span(7, 8)));
}

TEST(GapCaseTest, ChannelsThatCarriedNothingDoNotRest) {
  const sim::ChannelKinds links_only{.egress = false, .ingress = false};
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {1000}),
                                TimedOp("b", 3, {}, {1000}),
                                TimedOp("c", 1, {{0, 0}}),
                                TimedOp("d", 1, {{1, 0}})});
  const sim::SimReport report =
      Simulate(graph, WithGaps(MeshMachine(3, 0, links_only), 0, 9), PlacedOn({0, 1, 2, 2}));
  // Different links to d2: 2–3 and 3–4.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 3), Span(3, 4)));
}

TEST(GapCaseTest, TrailingGapOfAChannelCountsWhereTheMachineSaysSo) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 0, {{0, 0}})});
  sim::HardwareProfile machine = WithGaps(MeshMachine(2), 0, 5);
  EXPECT_EQ(Simulate(graph, machine, PlacedOn({0, 1})).result.makespan, Microseconds(3));
  machine.execution.trailing_gaps_count = true;  // copy 2–3, rest to 8
  EXPECT_EQ(Simulate(graph, machine, PlacedOn({0, 1})).result.makespan, Microseconds(8));
}

TEST(GapCaseTest, TransfersWithoutContentionLeaveNoGap) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {1000, 1000}), TimedOp("b", 0, {{0, 0}, {0, 1}})});
  sim::HardwareProfile machine = CountingTrailingGaps(WithGaps(MeshMachine(2), 0, 5));
  machine.transfers.sharing = sim::Sharing::kNone;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 3), Span(2, 3)));
  EXPECT_EQ(report.result.makespan, Microseconds(3));
}

// The gaps and the bus of Placeto's simulator: 7600 bytes take 1, a bus rests 25 after a transfer,
// a device 5.7 after an op, and trailing gaps count.
sim::HardwareProfile PlacetoLikeMachine(std::size_t num_devices) {
  sim::HardwareProfile machine = StarMachine(num_devices, 0, {.links = false, .ingress = false});
  for (sim::Link& link : machine.links) {
    link.bandwidth_bytes_per_s = 7.6e9;
  }
  machine.transfers.one_per = sim::OnePer::kOutput;
  machine.transfers.gap_after = Microseconds(25);
  machine.execution.gap_after_op = SimTime{5'700'000};
  return CountingTrailingGaps(machine);
}

TEST(GapCaseTest, ChainOnAMachineLikePlacetos) {
  const auto graph = MakeGraph({TimedOp("a", 10, {}, {7600}), TimedOp("b", 20, {{0, 0}})});
  // One device: 10 + 5.7 + 20 + 5.7. Two: 10 + 1 + 20 + 5.7, after the bus has rested to 11 + 25.
  EXPECT_EQ(Simulate(graph, PlacetoLikeMachine(2), PlacedOn({0, 0})).result.makespan,
            SimTime{41'400'000});
  EXPECT_EQ(Simulate(graph, PlacetoLikeMachine(2), PlacedOn({0, 1})).result.makespan,
            SimTime{36'700'000});
}

TEST(GapCaseTest, ForkOnAMachineLikePlacetos) {
  const auto graph = MakeGraph(
      {TimedOp("a", 10, {}, {76'000}), TimedOp("b", 5, {{0, 0}}), TimedOp("c", 5, {{0, 0}})});
  const sim::SimReport together = Simulate(graph, PlacetoLikeMachine(3), PlacedOn({0, 1, 1}));
  // Copy 10–20, rest to 45; b 20–25, rest to 30.7, c 30.7–35.7.
  EXPECT_EQ(together.ops[1]->start, Microseconds(20));
  EXPECT_EQ(together.ops[2]->start, SimTime{30'700'000});
  EXPECT_EQ(together.result.makespan, Microseconds(45));
  const sim::SimReport apart = Simulate(graph, PlacetoLikeMachine(3), PlacedOn({0, 1, 2}));
  EXPECT_EQ(apart.result.makespan, Microseconds(45));  // one transfer for both
}

}  // namespace
}  // namespace opyard::testing
