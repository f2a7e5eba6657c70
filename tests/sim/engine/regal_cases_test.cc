// The rules of REGAL: transfers take no time and no channel, memory is that of all others. Times in
// comments are microseconds. Simulate() also checks the reference simulator.
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

sim::HardwareProfile Regal(sim::HardwareProfile machine) {
  machine.rules = sim::Rules::kRegal;
  return machine;
}

TEST(RegalCaseTest, CopiesArriveAtOnceHoweverSlowTheLinks) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {5000, 7000}), TimedOp("b", 3, {{0, 0}, {0, 1}})});
  const sim::SimReport report = Simulate(graph, Regal(MeshMachine(2, 9)), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 2), Span(2, 2)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 2));
  EXPECT_EQ(report.result.makespan, Microseconds(5));
}

TEST(RegalCaseTest, NoRouteIsNeeded) {
  sim::OpSpec c = TimedOp("c", 1);
  c.control_inputs = {1};
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), c});
  sim::HardwareProfile machine = Regal(MeshMachine(2));
  machine.links.clear();
  EXPECT_THAT(StartsInUs(Simulate(graph, machine, PlacedOn({0, 1, 0}))), ElementsAre(0, 2, 5));
}

TEST(RegalCaseTest, CopiesTakeMemory) {
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {5000}), TimedOp("b", 3, {{0, 0}}, {200})});
  const sim::SimReport report = Simulate(graph, Regal(MeshMachine(2)), PlacedOn({0, 1}));
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{5000});
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{5200});
  EXPECT_EQ(report.devices[1].peak_instant, Microseconds(2));
}

TEST(RegalCaseTest, DevicesStillRestAfterOpsButNoChannelDoes) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 1, {{0, 0}})});
  sim::HardwareProfile machine = Regal(MeshMachine(2));
  machine.execution.gap_after_op = Microseconds(4);
  machine.execution.trailing_gaps_count = true;
  machine.transfers.gap_after = Microseconds(50);
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 0}));
  // b 2–5, rest to 9; c 6–7, rest to 11.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 2, 6));
  EXPECT_EQ(report.result.makespan, Microseconds(11));
}

}  // namespace
}  // namespace opyard::testing
