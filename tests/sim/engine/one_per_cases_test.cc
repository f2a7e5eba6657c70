// One transfer per output or per edge instead of one per destination. Times in comments are
// microseconds; links carry 1000 bytes in one. Simulate() also checks the reference simulator.
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

using ::testing::SizeIs;

constexpr sim::ChannelKinds kLinksOnly{.egress = false, .ingress = false};

sim::HardwareProfile WithOnePer(sim::OnePer one_per, sim::HardwareProfile machine) {
  machine.transfers.one_per = one_per;
  return machine;
}

TEST(OnePerOutputCaseTest, AllDestinationsWaitForTheSlowest) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  sim::HardwareProfile machine = WithOnePer(sim::OnePer::kOutput, MeshMachine(3, 0, kLinksOnly));
  machine.links[1].bandwidth_bytes_per_s = 5e8;  // d0-d2: 2 instead of 1
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 2}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 3)));
  EXPECT_EQ(report.transfers[0].dst, DeviceId(1));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 3));
  EXPECT_EQ(report.result.num_transfers, 1);
}

TEST(OnePerOutputCaseTest, ATransferOccupiesTheChannelsToAllDestinations) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000, 1000}),
                                TimedOp("b", 1, {{0, 0}}),
                                TimedOp("c", 1, {{0, 0}}),
                                TimedOp("d", 1, {{0, 1}})});
  const sim::SimReport report =
      Simulate(graph,
               WithOnePer(sim::OnePer::kOutput, MeshMachine(3, 0, kLinksOnly)),
               PlacedOn({0, 1, 2, 2}));
  // a:0 takes d0-d1 and d0-d2 1–2; a:1 needs d0-d2: 2–3.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 2), Span(2, 3)));
}

TEST(OnePerOutputCaseTest, EachCopyGoesWithItsOwnReaders) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                TimedOp("b", 1, {{0, 0}}, {100}),
                                TimedOp("c", 5, {{0, 0}}, {100}),
                                TimedOp("x", 1, {{1, 0}}, {900})});
  const sim::SimReport report =
      Simulate(graph, WithOnePer(sim::OnePer::kOutput, MeshMachine(3)), PlacedOn({0, 1, 2, 1}));
  // d1: copy at 1, b at 2: 1100; b's end at 3 frees the copy though c reads its own to 7: x then
  // has 100 + 900 = 1000.
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{1100});
  EXPECT_EQ(report.devices[2].peak_memory, Bytes{1100});
}

TEST(OnePerOutputCaseTest, PriorityIsTheGreatestOfItsDestinations) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000, 1000}),
                                TimedOp("b", 1, {{0, 0}}),
                                TimedOp("c", 1, {{0, 1}}),
                                TimedOp("d", 1, {{0, 1}})});
  sim::Plan plan = PlacedOn({0, 1, 1, 2});
  plan.transfer_priority = {
      {TensorId(0), DeviceId(1), 5}, {TensorId(1), DeviceId(1), 1}, {TensorId(1), DeviceId(2), 7}};
  const sim::SimReport report =
      Simulate(graph, WithOnePer(sim::OnePer::kOutput, MeshMachine(3)), plan);
  // a:1 has max(1, 7) = 7 and passes a:0 with 5: 1–2, then 2–3.
  ASSERT_THAT(report.transfers, SizeIs(2));
  EXPECT_EQ(report.transfers[0].tensor, TensorId(1));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 2, 2));
}

TEST(OnePerOutputCaseTest, WithoutContentionTheLongestRouteStillHoldsAll) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  sim::HardwareProfile machine = WithOnePer(sim::OnePer::kOutput, MeshMachine(3));
  machine.transfers.sharing = sim::Sharing::kNone;
  machine.links[0].latency = Microseconds(4);  // d0-d1: 5
  EXPECT_THAT(StartsInUs(Simulate(graph, machine, PlacedOn({0, 1, 2}))), ElementsAre(0, 6, 6));
}

TEST(OnePerOutputCaseTest, ATransferThatDoesNotFitEverywhereTakesMemoryNowhere) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  sim::HardwareProfile machine = WithOnePer(sim::OnePer::kOutput, MeshMachine(3));
  machine.devices[2].memory = Bytes{999};
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 2}));
  // It fits on d1 but not on d2: like an op that does not fit, it never starts.
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->device, "d2");
  EXPECT_EQ(report.failure->what, "copy of a:0");
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{0});
}

TEST(OnePerEdgeCaseTest, EachReaderGetsATransferOfItsOwn) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  const sim::SimReport report =
      Simulate(graph, WithOnePer(sim::OnePer::kEdge, MeshMachine(2)), PlacedOn({0, 1, 1}));
  // 1–2 for b, 2–3 for c; b 2–5, c 5–6.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 2), Span(2, 3)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 2, 5));
  EXPECT_EQ(report.result.num_transfers, 2);
}

TEST(OnePerEdgeCaseTest, ATensorReadTwiceByOneOpTravelsTwice) {
  const auto graph = MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}, {0, 0}})});
  const sim::SimReport report =
      Simulate(graph, WithOnePer(sim::OnePer::kEdge, MeshMachine(2)), PlacedOn({0, 1}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3));
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{3000});  // two copies and b's output
}

TEST(OnePerEdgeCaseTest, PriorityIsThatOfTheReader) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  const sim::SimReport report = Simulate(graph,
                                         WithOnePer(sim::OnePer::kEdge, MeshMachine(2)),
                                         PlacedWithPriorities({0, 1, 1}, {0, 1, 9}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 2));
}

TEST(OnePerEdgeCaseTest, TheDestinationComesBeforeTheReaderInTheOrder) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  const sim::SimReport report =
      Simulate(graph, WithOnePer(sim::OnePer::kEdge, MeshMachine(3)), PlacedOn({0, 2, 1}));
  // One at a time leaves d0: to d1 for c 1–2, to d2 for b 2–3.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 2));
}

TEST(OnePerEdgeCaseTest, ReadersOfOneDeviceAreServedByTopologicalIndex) {
  sim::OpSpec b = TimedOp("b", 1, {{0, 0}});
  b.control_inputs = {3};
  const auto graph = MakeGraph({TimedOp("a", 1), b, TimedOp("c", 1, {{0, 0}}), TimedOp("gate", 0)});
  const sim::SimReport report =
      Simulate(graph, WithOnePer(sim::OnePer::kEdge, MeshMachine(2)), PlacedOn({0, 1, 1, 1}));
  // Kahn's order: a, c, gate, b: c's copy 1–2, b's 2–3.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 2, 0));
}

TEST(OnePerEdgeCaseTest, EachCopyGoesWithItsReader) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                TimedOp("b", 1, {{0, 0}}, {100}),
                                TimedOp("c", 1, {{0, 0}}, {1500})});
  const sim::SimReport report =
      Simulate(graph, WithOnePer(sim::OnePer::kEdge, MeshMachine(2)), PlacedOn({0, 1, 1}));
  // d1: copy for b at 1; at 2 b starts (+100) and the copy for c (+1000): 2100; at 3 only the
  // second copy is left: 1000 + 1500.
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{2500});
  EXPECT_EQ(report.devices[1].peak_instant, Microseconds(3));
}

}  // namespace
}  // namespace opyard::testing
