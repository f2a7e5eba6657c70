// The host issues the kernel with index i at (i + 1) · dispatch. Times in comments are
// microseconds. Simulate() also checks the reference simulator.
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

sim::HardwareProfile WithDispatch(sim::HardwareProfile machine, std::int64_t us) {
  machine.execution.dispatch = Microseconds(us);
  return machine;
}

TEST(DispatchCaseTest, ShortOpsWaitForTheHost) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{1, 0}})});
  const sim::SimReport report =
      Simulate(graph, WithDispatch(MeshMachine(1), 2), PlacedOn({0, 0, 0}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(2, 4, 6));
  EXPECT_EQ(report.result.makespan, Microseconds(7));
}

TEST(DispatchCaseTest, LongOpsHideTheHost) {
  const auto graph =
      MakeGraph({TimedOp("a", 5), TimedOp("b", 5, {{0, 0}}), TimedOp("c", 5, {{1, 0}})});
  const sim::SimReport report =
      Simulate(graph, WithDispatch(MeshMachine(1), 2), PlacedOn({0, 0, 0}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(2, 7, 12));  // issued at 2, 4, 6
}

TEST(DispatchCaseTest, OneHostServesAllDevices) {
  const auto graph = MakeGraph({TimedOp("a", 1), TimedOp("b", 1)});
  const sim::SimReport report = Simulate(graph, WithDispatch(MeshMachine(2), 3), PlacedOn({0, 1}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(3, 6));
}

TEST(DispatchCaseTest, OpWithoutTimeTakesTheHostsTimeToo) {
  const auto graph = MakeGraph({TimedOp("zero", 0), TimedOp("b", 1)});
  const sim::SimReport report = Simulate(graph, WithDispatch(MeshMachine(1), 2), PlacedOn({0, 0}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(2, 4));
}

TEST(DispatchCaseTest, PriorityDoesNotOvertakeTheHost) {
  const auto graph = MakeGraph({TimedOp("low", 3), TimedOp("high", 1)});
  const sim::SimReport report =
      Simulate(graph, WithDispatch(MeshMachine(1), 2), PlacedWithPriorities({0, 0}, {0, 9}));
  // high is issued at 4, while low runs 2–5.
  EXPECT_THAT(StartsInUs(report), ElementsAre(2, 5));
}

TEST(DispatchCaseTest, IssuedOpsCompeteByPriority) {
  const auto graph = MakeGraph({TimedOp("a", 5), TimedOp("low", 1), TimedOp("high", 1)});
  const sim::SimReport report =
      Simulate(graph, WithDispatch(MeshMachine(1), 2), PlacedWithPriorities({0, 0, 0}, {0, 1, 9}));
  // a 2–7; low issued at 4, high at 6: high 7–8, low 8–9.
  EXPECT_THAT(StartsInUs(report), ElementsAre(2, 8, 7));
}

TEST(DispatchCaseTest, FifoOrdersByTheLastInputNotByTheIssue) {
  sim::OpSpec late = TimedOp("late", 1);
  late.control_inputs = {1};
  const auto graph = MakeGraph({TimedOp("a", 6), TimedOp("gate", 2), late, TimedOp("early", 1)});
  const sim::SimReport report =
      Simulate(graph, WithDispatch(MeshMachine(2), 1), PlacedOn({0, 1, 0, 0}));
  // a 1–7; gate 2–4 lets late go at 4, issued at 3; early has all inputs at 0, issued at 4: both
  // can run from 4 on, early is ready since 0 and goes first: 7–8, late 8–9.
  EXPECT_THAT(StartsInUs(report), ElementsAre(1, 2, 8, 7));
}

TEST(DispatchCaseTest, IssuedOpWaitsForItsInput) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000}), TimedOp("b", 1, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, WithDispatch(MeshMachine(2), 1), PlacedOn({0, 1}));
  // a 1–2, copy 2–5; b was issued at 2.
  EXPECT_THAT(StartsInUs(report), ElementsAre(1, 5));
}

}  // namespace
}  // namespace opyard::testing
