// Starts that wait until memory frees, and what happens when it never does. Times in comments are
// microseconds, sizes bytes; links carry 1000 bytes in one. Simulate() also checks the reference
// simulator.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

sim::HardwareProfile Waiting(std::size_t num_devices, std::int64_t memory) {
  sim::HardwareProfile machine = MeshMachine(num_devices);
  machine.memory.on_exceed = sim::OnExceed::kWait;
  for (sim::Device& device : machine.devices) {
    device.memory = Bytes{memory};
  }
  return machine;
}

std::vector<std::string> WhatWaits(const std::shared_ptr<const sim::OpGraph>& graph,
                                   const sim::HardwareProfile& machine,
                                   const sim::Plan& plan) {
  return SimulateSlowly(*graph, machine, *CostsOf(*graph, machine), plan).waiting;
}

TEST(WaitCaseTest, OpThatDoesNotFitWaitsAndLetsOthersPass) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {1000}), TimedOp("b", 1, {}, {1200}), TimedOp("c", 2, {{0, 0}}, {100})});
  const sim::SimReport report = Simulate(graph, Waiting(1, 2000), PlacedOn({0, 0, 0}));
  // a 0–1. b comes first, but 1000 + 1200 > 2000: c 1–3; its end frees a: b 3–4.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 1));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kCompleted);
  EXPECT_EQ(report.result.peak_memory, Bytes{1200});
}

TEST(WaitCaseTest, ARunBeyondItsLimitIsCutOffAndNoDeadlock) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {1000}), TimedOp("b", 1, {}, {1200}), TimedOp("c", 2, {{0, 0}}, {100})});
  const EngineAndReference both(graph, Waiting(1, 2000));
  sim::Workspace workspace;
  // As above: a 0–1, c 1–3, b 3–4. The device has 1 + 1 + 2 to do, so that 3 is too little at once.
  const sim::Plan plan = PlacedOn({0, 0, 0});
  EXPECT_EQ(both.simulator().RunUntil(plan, Microseconds(3), workspace).outcome,
            sim::Outcome::kCutOff);
  const sim::SimResult whole = both.simulator().Run(plan, workspace);
  EXPECT_EQ(both.simulator().RunUntil(plan, Microseconds(4), workspace), whole);
}

TEST(WaitCaseTest, OpsOfLowerPriorityPassToo) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                TimedOp("high", 1, {{0, 0}}, {1500}),
                                TimedOp("low", 2, {{0, 0}}, {10}),
                                TimedOp("lowest", 3, {}, {20})});
  sim::HardwareProfile machine = Waiting(2, 2400);
  const sim::SimReport report =
      Simulate(graph, machine, PlacedWithPriorities({0, 1, 1, 1}, {0, 9, 5, 1}));
  // d1: lowest 0–3 while the copy comes 1–2; then high fits only if 1000 + 1500 <= 2400: low 3–5;
  // high reads the copy itself, which therefore never goes: a deadlock at 5.
  EXPECT_EQ(report.result.outcome, sim::Outcome::kDeadlock);
  EXPECT_EQ(report.ops[2]->start, Microseconds(3));
  EXPECT_FALSE(report.ops[1].has_value());
  EXPECT_THAT(WhatWaits(graph, machine, PlacedWithPriorities({0, 1, 1, 1}, {0, 9, 5, 1})),
              ElementsAre("op high waits for 1500 bytes on d1"));
}

TEST(WaitCaseTest, CopyThatDoesNotFitWaits) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {2000}), TimedOp("b", 1, {{0, 0}}, {10}), TimedOp("x", 4, {}, {1000})});
  const sim::SimReport report = Simulate(graph, Waiting(2, 2500), PlacedOn({0, 1, 1}));
  // x holds 1000 of d1 to 4: copy 4–6.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(4, 6)));
  EXPECT_EQ(report.transfers[0].offered, Microseconds(1));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 6, 0));
}

TEST(WaitCaseTest, ACopyThatFitsPassesOneThatDoesNot) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {2000, 1000}),
                                TimedOp("b", 1, {{0, 0}}, {0}),
                                TimedOp("c", 1, {{0, 1}}, {0}),
                                TimedOp("x", 4, {}, {1000})});
  const sim::SimReport report = Simulate(graph, Waiting(2, 3000), PlacedOn({0, 1, 1, 1}));
  // d1 is full to the byte with a:0 beside x, which comes first: 1–3. a:1 waits for x's end: 4–5.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(1, 3), Span(4, 5)));
  sim::HardwareProfile smaller = Waiting(2, 3000);
  smaller.devices[1].memory = Bytes{2999};
  const sim::SimReport other = Simulate(graph, smaller, PlacedOn({0, 1, 1, 1}));
  // Now a:0 does not fit beside x, nor beside a:1, which passes: 1–2; c 4–5; then a:0 5–7.
  EXPECT_THAT(TransfersInUs(other), ElementsAre(Span(1, 2), Span(5, 7)));
  EXPECT_THAT(StartsInUs(other), ElementsAre(0, 7, 4, 0));
}

TEST(WaitCaseTest, OpLargerThanItsDeviceIsADeadlockAtTheStart) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000})});
  const sim::SimReport report = Simulate(graph, Waiting(1, 2000), PlacedOn({0}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kDeadlock);
  EXPECT_EQ(report.result.makespan, SimTime{});
}

TEST(WaitCaseTest, TwoHalvesThatNeedEachOtherAreADeadlock) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                TimedOp("b", 1, {}, {1000}),
                                TimedOp("c", 1, {{0, 0}, {1, 0}}, {10})});
  const sim::SimReport report = Simulate(graph, Waiting(1, 1999), PlacedOn({0, 0, 0}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kDeadlock);
  EXPECT_EQ(report.result.makespan, Microseconds(1));  // a's end
  EXPECT_THAT(WhatWaits(graph, Waiting(1, 1999), PlacedOn({0, 0, 0})),
              ElementsAre("op b waits for 1000 bytes on d0", "op c waits for b:0"));
}

TEST(WaitCaseTest, CopyThatNeverFitsIsNamed) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}), TimedOp("b", 1, {{0, 0}}, {10})});
  sim::HardwareProfile machine = Waiting(2, 2000);
  machine.devices[1].memory = Bytes{999};
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kDeadlock);
  EXPECT_THAT(WhatWaits(graph, machine, PlacedOn({0, 1})),
              ElementsAre("op b waits for a:0", "copy of a:0 waits for 1000 bytes on d1"));
}

TEST(WaitCaseTest, ParametersThatDoNotFitStillRunOutOfMemory) {
  const auto graph = MakeGraph({VariableOp("w", 3000)});
  const sim::SimReport report = Simulate(graph, Waiting(1, 2000), PlacedOn({0}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kOutOfMemory);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->what, "parameters of w");
}

TEST(WaitCaseTest, OneTransferPerOutputWaitsForRoomOnAllDestinations) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                TimedOp("b", 1, {{0, 0}}, {10}),
                                TimedOp("c", 1, {{0, 0}}, {10}),
                                TimedOp("x", 5, {}, {1500})});
  sim::HardwareProfile machine = Waiting(3, 2000);
  machine.transfers.one_per = sim::OnePer::kOutput;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 2, 2}));
  // d1 has room at once, d2 only when x ends at 5: one transfer 5–6 for both.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(5, 6)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 6, 6, 0));
}

}  // namespace
}  // namespace opyard::testing
