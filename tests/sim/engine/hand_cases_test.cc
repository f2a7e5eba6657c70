// Schedules that can be redone by hand. Times in comments are microseconds; links carry 1000 bytes
// in one. Simulate() also checks the reference simulator, so that each number stands on two legs.
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
using ::testing::IsEmpty;

const sim::ChannelReport* FindChannel(const sim::SimReport& report, const std::string& name) {
  for (const sim::ChannelReport& channel : report.channels) {
    if (channel.name == name) {
      return &channel;
    }
  }
  return nullptr;
}

constexpr sim::ChannelKinds kLinksOnly{.links = true, .egress = false, .ingress = false};

// ---- Order of ops ----

TEST(HandCaseTest, ChainOnOneDeviceTakesTheSumOfItsOps) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{1, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 2, 5));
  EXPECT_EQ(report.result.makespan, Microseconds(10));  // 2 + 3 + 5
}

// Longer than ends of kernels have room for beside their devices.
TEST(HandCaseTest, AChainOfThreeWeeksTakesTheSumOfItsOps) {
  constexpr std::int64_t kWeekUs = 7LL * 24 * 3600 * 1'000'000;
  const auto graph = MakeGraph(
      {TimedOp("a", kWeekUs), TimedOp("b", kWeekUs, {{0, 0}}), TimedOp("c", kWeekUs, {{1, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 0, 1}));
  // The copy of b: 1.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, kWeekUs, 2 * kWeekUs + 1));
  EXPECT_EQ(report.result.makespan, Microseconds(3 * kWeekUs + 1));
}

// So long that the engine fetches ahead, which must not matter; the reference would take minutes.
TEST(HandCaseTest, ALongChainThatAlternatesPaysForEachStep) {
  constexpr int kNumOps = 40'000;
  std::vector<sim::OpSpec> ops{TimedOp("op0", 2)};
  std::vector<int> devices{0};
  for (int i = 1; i < kNumOps; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2, {{i - 1, 0}}));
    devices.push_back(i % 2);
  }
  const EngineAndReference engine(MakeGraph(ops), MeshMachine(2));
  sim::Workspace workspace;
  // Each op 2 and each copy 1 but for the last, which nobody reads: 40,000 * 2 + 39,999.
  const SimTime makespan = Microseconds(119'999);
  EXPECT_EQ(engine.simulator().Run(PlacedOn(devices), workspace).makespan, makespan);
  EXPECT_EQ(engine.RunEngine(PlacedOn(devices), workspace).result.makespan, makespan);
}

TEST(HandCaseTest, ChainOverTwoDevicesPaysLatencyAndBytes) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2, 4), PlacedOn({0, 1}));
  // Copy: 4 latency + 1000 / 1000 = 5, from 2 to 7; b from 7 to 10.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 7)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 7));
  EXPECT_EQ(report.result.makespan, Microseconds(10));
}

TEST(HandCaseTest, DiamondOverTwoDevices) {
  const auto graph = MakeGraph({TimedOp("a", 2),
                                TimedOp("b", 3, {{0, 0}}),
                                TimedOp("c", 5, {{0, 0}}),
                                TimedOp("d", 1, {{1, 0}, {2, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 0, 1, 0}));
  // a 0–2, b 2–5 here; copy of a 2–3, c 3–8 there; copy of c 8–9; d 9–10.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 2, 3, 9));
  EXPECT_EQ(report.result.makespan, Microseconds(10));
}

TEST(HandCaseTest, FifoOrdersByReadyTimeBeforeIndex) {
  const auto graph = MakeGraph(
      {TimedOp("first", 4), TimedOp("b", 1), TimedOp("late", 2, {{1, 0}}), TimedOp("early", 3)});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1, 0, 0}));
  // first 0–4; "early" is ready at 0, "late" at 1 + 1 = 2 though its index is smaller: 4–7, then
  // 7–9.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 7, 4));
}

TEST(HandCaseTest, EqualReadyTimesLeaveByTopologicalIndexNotByOpIndex) {
  sim::OpSpec x = TimedOp("x", 2);
  sim::OpSpec y = TimedOp("y", 5);
  x.control_inputs = {3};
  y.control_inputs = {1};
  const auto graph =
      MakeGraph({x, TimedOp("gate1", 1), y, TimedOp("gate2", 1), TimedOp("busy", 3)});
  // Kahn's order with the smallest op index first: 1 (frees 2), 2, 3 (frees 0), 0, 4: y before x.
  const sim::SimReport report = Simulate(graph, MeshMachine(3), PlacedOn({0, 1, 0, 2, 0}));
  // x and y are both ready at 1, while "busy" holds the device until 3: y 3–8, x 8–10.
  EXPECT_THAT(StartsInUs(report), ElementsAre(8, 0, 3, 0, 0));
}

TEST(HandCaseTest, WhatBecomesReadyAtAnInstantCompetesAtThatInstant) {
  sim::OpSpec high = TimedOp("high", 1);
  high.control_inputs = {0};
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("low", 3), high});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(1), PlacedWithPriorities({0, 0, 0}, {5, 0, 9}));
  // a's end at 2 frees the device and releases high, which passes low: 2–3, low 3–6.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 2));
}

TEST(HandCaseTest, RightPriorityIsWorthTwoMicroseconds) {
  const auto graph = MakeGraph({TimedOp("a", 1),
                                TimedOp("x", 2, {{0, 0}}),
                                TimedOp("y", 1, {{0, 0}}),
                                TimedOp("z", 6, {{2, 0}})});
  const sim::HardwareProfile machine = MeshMachine(2);
  const sim::SimReport fifo = Simulate(graph, machine, PlacedOn({0, 0, 0, 1}));
  const sim::SimReport prior =
      Simulate(graph, machine, PlacedWithPriorities({0, 0, 0, 1}, {0, 0, 1, 0}));
  // FIFO: a 0–1, x 1–3, y 3–4, copy 4–5, z 5–11. With y first: y 1–2, copy 2–3, z 3–9; x 2–4.
  EXPECT_EQ(fifo.result.makespan, Microseconds(11));
  EXPECT_EQ(prior.result.makespan, Microseconds(9));
}

TEST(HandCaseTest, PriorityDoesNotPreemptButPassesThoseWhoWait) {
  const auto graph = MakeGraph(
      {TimedOp("low", 5), TimedOp("a", 1), TimedOp("high", 2, {{1, 0}}), TimedOp("low2", 3)});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(2), PlacedWithPriorities({0, 1, 0, 0}, {0, 0, 9, 0}));
  // high is ready at 2 while low runs 0–5; then high 5–7 before low2 7–10, which waits since 0.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 5, 7));
}

TEST(HandCaseTest, IdleDeviceNeverWaitsForABetterOp) {
  const auto graph = MakeGraph({TimedOp("low", 7), TimedOp("a", 1), TimedOp("high", 2, {{1, 0}})});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(2), PlacedWithPriorities({0, 1, 0}, {0, 0, 9}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 7));  // waiting until 2 would end at 11, not 9
  EXPECT_EQ(report.result.makespan, Microseconds(9));
}

TEST(HandCaseTest, ZeroTimesAndBytesAllHappenAtOneInstant) {
  const auto graph = MakeGraph(
      {TimedOp("a", 0, {}, {0}), TimedOp("b", 0, {{0, 0}}, {0}), TimedOp("c", 0, {{1, 0}}, {0})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1, 0}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 0));
  EXPECT_EQ(report.result.num_transfers, 2);
  EXPECT_EQ(report.result.makespan, SimTime{});
}

// ---- Transfers ----

TEST(HandCaseTest, TwoReadersOnOneDeviceShareOneCopy) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1, 1}));
  EXPECT_EQ(report.result.num_transfers, 1);
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 6));  // copy 2–3, b 3–6, c 6–11
}

TEST(HandCaseTest, InputReadTwiceMovesOnce) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}, {0, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 3)));
}

TEST(HandCaseTest, TwoDestinationsAreTwoTransfersThatShareTheSendEngine) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(3), PlacedOn({0, 1, 2}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 3), Span(3, 4)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 4));
}

TEST(HandCaseTest, WithoutEgressTwoLinksCarryAtOnce) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{0, 0}})});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(3, 0, {.egress = false}), PlacedOn({0, 1, 2}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 3), Span(2, 3)));
}

TEST(HandCaseTest, TwoSendersQueueForTheReceiveEngineByProducer) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 2), TimedOp("c", 5, {{0, 0}, {1, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(3), PlacedOn({0, 1, 2}));
  // Both offered at 2; a's (topological index 0) goes first: 2–5, then b's 5–6.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 5), Span(5, 6)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 6));
}

TEST(HandCaseTest, WithoutIngressTwoSendersReachADeviceAtOnce) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 2), TimedOp("c", 5, {{0, 0}, {1, 0}})});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(3, 0, {.ingress = false}), PlacedOn({0, 1, 2}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 5), Span(2, 3)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0, 5));
}

TEST(HandCaseTest, BlockedTransferDoesNotHoldBackThoseBehindIt) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000, 2000, 1000}),
                                TimedOp("u", 1, {{0, 0}}),
                                TimedOp("v", 1, {{0, 1}}),
                                TimedOp("w", 1, {{0, 2}})});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(3, 0, kLinksOnly), PlacedOn({0, 1, 1, 2}));
  // Output 0 takes d0→d1 1–4, output 1 waits for it until 4–6, output 2 takes d0→d2 1–2 at once.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 4), Span(1, 2), Span(4, 6)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 4, 6, 2));
}

TEST(HandCaseTest, FullDuplexCarriesBothWaysAndABusOneAtATime) {
  const auto graph = MakeGraph({TimedOp("a", 2),
                                TimedOp("b", 2),
                                TimedOp("to_d1", 1, {{0, 0}}),
                                TimedOp("to_d0", 1, {{1, 0}})});
  const sim::Plan plan = PlacedOn({0, 1, 1, 0});
  EXPECT_THAT(TransfersInUs(Simulate(graph, MeshMachine(2), plan)),
              ElementsAre(Span(2, 3), Span(2, 3)));
  EXPECT_THAT(TransfersInUs(Simulate(graph, BusMachine(2), plan)),
              ElementsAre(Span(2, 3), Span(3, 4)));
}

TEST(HandCaseTest, TwoHopsAddLatenciesAndCarryTheBytesOnce) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, StarMachine(2, 3), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 9)));  // 3 + 3 + 1000 / 1000 = 7
}

TEST(HandCaseTest, PairChannelSerialisesOnePairOnly) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000, 2000}),
                                TimedOp("u", 1, {{0, 0}}),
                                TimedOp("v", 1, {{0, 1}}),
                                TimedOp("w", 1, {{0, 1}})});
  const sim::ChannelKinds pair{.links = false, .egress = false, .ingress = false, .pair = true};
  const sim::SimReport report = Simulate(graph, StarMachine(3, 0, pair), PlacedOn({0, 1, 1, 2}));
  // Output 0 to d1 1–4; output 1 to d1 4–6, and to d2 at once 1–3.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 4), Span(1, 3), Span(4, 6)));
}

TEST(HandCaseTest, WithoutSharingAllTransfersRunAtOnce) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {3000, 2000}), TimedOp("u", 1, {{0, 0}}), TimedOp("v", 1, {{0, 1}})});
  sim::HardwareProfile machine = MeshMachine(2);
  machine.transfers.sharing = sim::Sharing::kNone;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 4), Span(1, 3)));
}

TEST(HandCaseTest, ZeroBytesTakeTheLatencyAndTheChannel) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {0, 0}), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 1}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2, 2), PlacedOn({0, 1, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 3), Span(3, 5)));
}

TEST(HandCaseTest, ExplicitTransferPriorityGoesFirstUnderFifo) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {3000, 1000}), TimedOp("u", 1, {{0, 0}}), TimedOp("v", 5, {{0, 1}})});
  sim::Plan plan = PlacedOn({0, 1, 1});
  // As is: output 0 1–4, output 1 4–5; u 4–5, v 5–10.
  EXPECT_EQ(Simulate(graph, MeshMachine(2), plan).result.makespan, Microseconds(10));
  plan.transfer_priority.push_back(
      {.tensor = graph->output(OpId(0), 1), .destination = DeviceId(1), .priority = 1});
  // Output 1 1–2, output 0 2–5; v 2–7, u 7–8.
  const sim::SimReport report = Simulate(graph, MeshMachine(2), plan);
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 2), Span(2, 5)));
  EXPECT_EQ(report.result.makespan, Microseconds(8));
}

TEST(HandCaseTest, ARunRefusesTransferPrioritiesThatAPlanMayNotHave) {
  const auto graph = MakeGraph({TimedOp("a", 1), TimedOp("u", 1, {{0, 0}})});
  const sim::TransferPriority legal{.tensor = TensorId(0), .destination = DeviceId(1)};
  for (const std::vector<sim::TransferPriority>& given :
       {std::vector{legal, legal},
        {{.tensor = TensorId(-1), .destination = DeviceId(1)}},
        {{.tensor = TensorId(2), .destination = DeviceId(1)}},
        {{.tensor = TensorId(0), .destination = DeviceId(-1)}},
        {{.tensor = TensorId(0), .destination = DeviceId(2)}},
        {{.tensor = TensorId(0),
        .destination = DeviceId(1),
        .priority = sim::kLargestPriority + 1}}}) {
    sim::Plan plan = PlacedOn({0, 1});
    plan.transfer_priority = given;
    EXPECT_THROW(static_cast<void>(Simulate(graph, MeshMachine(2), plan)), PlanError);
    plan.transfer_priority = {legal};
    EXPECT_NO_THROW(static_cast<void>(Simulate(graph, MeshMachine(2), plan)));
  }
}

TEST(HandCaseTest, TransferInheritsTheGreatestPriorityOfItsReadersThere) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000, 1000}),
                                TimedOp("u", 1, {{0, 0}}),
                                TimedOp("v", 5, {{0, 1}}),
                                TimedOp("w", 2, {{0, 1}})});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(2), PlacedWithPriorities({0, 1, 1, 1}, {0, 2, 1, 3}));
  // Output 1 has max(1, 3) = 3 against 2 of output 0: 1–2, then 2–5. w 2–4, v 4–9, u 9–10.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 2), Span(2, 5)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 9, 4, 2));
}

TEST(HandCaseTest, UnderFifoOpPrioritiesLeaveTransfersEqual) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {3000, 1000}), TimedOp("u", 1, {{0, 0}}), TimedOp("v", 5, {{0, 1}})});
  sim::Plan plan = PlacedWithPriorities({0, 1, 1}, {0, 0, 7});
  plan.queue = sim::QueueDiscipline::kFifo;
  EXPECT_THAT(TransfersInUs(Simulate(graph, MeshMachine(2), plan)),
              ElementsAre(Span(1, 4), Span(4, 5)));
}

TEST(HandCaseTest, ExplicitTransferPriorityReplacesTheInheritedOne) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {3000, 1000}), TimedOp("u", 1, {{0, 0}}), TimedOp("v", 5, {{0, 1}})});
  sim::Plan plan = PlacedWithPriorities({0, 1, 1}, {0, 0, 7});
  plan.transfer_priority.push_back(
      {.tensor = graph->output(OpId(0), 1), .destination = DeviceId(1), .priority = -1});
  // −1 < 0: output 0 goes first although its reader's priority is less.
  EXPECT_THAT(TransfersInUs(Simulate(graph, MeshMachine(2), plan)),
              ElementsAre(Span(1, 4), Span(4, 5)));
}

TEST(HandCaseTest, ChannelsAreBusyForTheTransfersThatTheyCarry) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000, 2000}),
                                TimedOp("u", 1, {{0, 0}}, {1000}),
                                TimedOp("v", 1, {{0, 1}, {1, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2, 1), PlacedOn({0, 1, 0}));
  // Output 0 to d1: 1 + 3 = 4; u's output back: 1 + 1 = 2. Output 1 stays.
  const sim::ChannelReport* forth = FindChannel(report, "d0-d1>");
  const sim::ChannelReport* back = FindChannel(report, "d0-d1<");
  const sim::ChannelReport* egress = FindChannel(report, "egress:d0");
  const sim::ChannelReport* ingress = FindChannel(report, "ingress:d0");
  ASSERT_TRUE(forth != nullptr && back != nullptr && egress != nullptr && ingress != nullptr);
  EXPECT_EQ(forth->busy, Microseconds(4));
  EXPECT_EQ(forth->bytes, Bytes{3000});
  EXPECT_EQ(back->busy, Microseconds(2));
  EXPECT_EQ(egress->busy, Microseconds(4));
  EXPECT_EQ(ingress->bytes, Bytes{1000});
}

// ---- Control edges ----

TEST(HandCaseTest, ControlEdgeArrivesAfterTheRoutesLatency) {
  sim::OpSpec after = TimedOp("b", 3);
  after.control_inputs = {0};
  const auto graph = MakeGraph({TimedOp("a", 2), after});
  EXPECT_THAT(StartsInUs(Simulate(graph, MeshMachine(2, 4), PlacedOn({0, 0}))), ElementsAre(0, 2));
  const sim::SimReport report = Simulate(graph, MeshMachine(2, 4), PlacedOn({0, 1}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 6));  // 2 + 4
  EXPECT_THAT(report.transfers, IsEmpty());
  EXPECT_EQ(report.result.num_transfers, 0);
}

TEST(HandCaseTest, ControlEdgeDoesNotWaitForABusyLink) {
  sim::OpSpec after = TimedOp("c", 3);
  after.control_inputs = {0};
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {9000}), TimedOp("b", 1, {{0, 0}}), after});
  const sim::SimReport report = Simulate(graph, MeshMachine(2, 1), PlacedOn({0, 1, 1}));
  // The copy takes 2–12, the signal 2–3.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 12, 3));
}

}  // namespace
}  // namespace opyard::testing
