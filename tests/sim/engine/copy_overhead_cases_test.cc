// Copies that take time from ops: a device pays for each copy that it sends or receives. Times in
// comments are microseconds; tensors have 1000 bytes, which links carry in one. Simulate() also
// checks the reference simulator.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/agreement.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

// Every device pays 1 for a copy and 1 for its 1000 bytes.
sim::HardwareProfile WithOverheads(sim::HardwareProfile machine) {
  for (sim::Device& device : machine.devices) {
    device.copy_overhead_s = 1e-6;
    device.copy_bandwidth_bytes_per_s = 1e9;
  }
  return machine;
}

TEST(CopyOverheadCaseTest, SenderAndReceiverPay) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 5, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, WithOverheads(MeshMachine(2)), PlacedOn({0, 1}));
  // a 0–5 (3 + 2), the copy 5–6, b 6–13 (5 + 2).
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(5, 6)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 6));
  EXPECT_EQ(report.result.makespan, Microseconds(13));
}

TEST(CopyOverheadCaseTest, NothingIsPaidOnOneDevice) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 5, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, WithOverheads(MeshMachine(2)), PlacedOn({0, 0}));
  EXPECT_EQ(report.result.makespan, Microseconds(8));
}

TEST(CopyOverheadCaseTest, EachDevicePaysItsOwn) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 5, {{0, 0}})});
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].copy_overhead_s = 4e-6;  // and nothing for bytes
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1}));
  // a 0–3, the copy 3–4, b 4–13 (5 + 4).
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 4));
  EXPECT_EQ(report.result.makespan, Microseconds(13));
}

TEST(CopyOverheadCaseTest, ACopyForSeveralReadersIsPaidOnceByTheFirst) {
  const auto graph =
      MakeGraph({TimedOp("a", 3), TimedOp("b", 5, {{0, 0}}), TimedOp("c", 5, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, WithOverheads(MeshMachine(2)), PlacedOn({0, 1, 1}));
  // a 0–5, the copy 5–6, b 6–13 (5 + 2), c 13–18.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 6, 13));
  EXPECT_EQ(report.result.makespan, Microseconds(18));
}

TEST(CopyOverheadCaseTest, ASenderPaysForEachDestination) {
  const auto graph =
      MakeGraph({TimedOp("a", 3), TimedOp("b", 5, {{0, 0}}), TimedOp("c", 5, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, WithOverheads(MeshMachine(3)), PlacedOn({0, 1, 2}));
  // a 0–7 (3 + 2 · 2).
  EXPECT_EQ(report.ops[0]->finish, Microseconds(7));
}

TEST(CopyOverheadCaseTest, AJointTransferIsSentOnce) {
  const auto graph =
      MakeGraph({TimedOp("a", 3), TimedOp("b", 5, {{0, 0}}), TimedOp("c", 5, {{0, 0}})});
  sim::HardwareProfile machine = WithOverheads(MeshMachine(3));
  machine.transfers.one_per = sim::OnePer::kOutput;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 2}));
  // a 0–5 (3 + 2); b and c pay 2 each.
  EXPECT_EQ(report.ops[0]->finish, Microseconds(5));
  EXPECT_EQ(report.ops[1]->finish - report.ops[1]->start, Microseconds(7));
  EXPECT_EQ(report.ops[2]->finish - report.ops[2]->start, Microseconds(7));
}

TEST(CopyOverheadCaseTest, WithACopyPerEdgeEachIsPaid) {
  const auto graph =
      MakeGraph({TimedOp("a", 3), TimedOp("b", 5, {{0, 0}, {0, 0}}), TimedOp("c", 5, {{0, 0}})});
  sim::HardwareProfile machine = WithOverheads(MeshMachine(2));
  machine.transfers.one_per = sim::OnePer::kEdge;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 1}));
  // a 0–9 (3 + 3 · 2): b reads it twice, c once.
  EXPECT_EQ(report.ops[0]->finish, Microseconds(9));
  EXPECT_EQ(report.ops[1]->finish - report.ops[1]->start, Microseconds(9));
  EXPECT_EQ(report.ops[2]->finish - report.ops[2]->start, Microseconds(7));
}

TEST(CopyOverheadCaseTest, AnEdgeWithoutDataCopiesNothing) {
  sim::OpSpec b = TimedOp("b", 5);
  b.control_inputs = {0};
  const auto graph = MakeGraph({TimedOp("a", 3), b});
  const sim::SimReport report = Simulate(graph, WithOverheads(MeshMachine(2)), PlacedOn({0, 1}));
  EXPECT_EQ(report.result.makespan, Microseconds(8));
}

TEST(CopyOverheadCaseTest, RulesPlacetoHaveNone) {
  const auto graph = MakeGraph({TimedOp("a", 3)});
  sim::HardwareProfile machine = WithOverheads(MeshMachine(2));
  machine.rules = sim::Rules::kPlaceto;
  EXPECT_THROW((void)Simulate(graph, machine, PlacedOn({0})), UnsupportedError);
}

}  // namespace
}  // namespace opyard::testing
