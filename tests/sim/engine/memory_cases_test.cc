// Memory that can be redone by hand: peaks, their instants, and where it runs out. Times in
// comments are microseconds, sizes bytes. Simulate() also checks the reference simulator.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

// An op without time whose only output is a view of its only input.
sim::OpSpec ViewOp(const std::string& name, std::int64_t input_op, std::int64_t bytes) {
  sim::OpSpec op = TimedOp(name, 0, {{input_op, 0}}, {bytes});
  op.outputs[0].alias = sim::Alias::kInput;
  return op;
}

sim::OpSpec After(std::int64_t op, sim::OpSpec spec) {
  spec.control_inputs.push_back(op);
  return spec;
}

sim::HardwareProfile WithMemory(sim::HardwareProfile machine, std::int64_t bytes) {
  for (sim::Device& device : machine.devices) {
    device.memory = Bytes{bytes};
  }
  return machine;
}

TEST(MemoryCaseTest, TensorLivesUntilItsLastReaderEnds) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                TimedOp("b", 2, {{0, 0}}, {400}),
                                TimedOp("c", 3, {{1, 0}}, {200})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0}));
  // a: 1000; with b at 1: 1400; a freed at 3: 400 + 200.
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{1400});
  EXPECT_EQ(report.devices[0].peak_instant, Microseconds(1));
}

TEST(MemoryCaseTest, KeptOutputStaysToTheEnd) {
  sim::OpSpec kept = TimedOp("a", 1, {}, {1000});
  kept.outputs[0].keep = true;
  const auto graph =
      MakeGraph({kept, TimedOp("b", 2, {{0, 0}}, {400}), TimedOp("c", 3, {{1, 0}}, {200})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0}));
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{1600});  // 1000 + 400 + 200 when c starts
  EXPECT_EQ(report.devices[0].peak_instant, Microseconds(3));
}

TEST(MemoryCaseTest, UnreadOutputGoesWithItsProducer) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {800}), TimedOp("b", 1, {}, {500})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0}));
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{800});
}

TEST(MemoryCaseTest, WorkspaceIsHeldOnlyWhileTheOpRuns) {
  sim::OpSpec worker = TimedOp("a", 2, {}, {100});
  worker.workspace_bytes = Bytes{900};
  const auto graph = MakeGraph({worker, TimedOp("b", 1, {{0, 0}}, {950})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0}));
  // 100 + 900 = 1000 at 0; at 2 the 900 are gone: 100 + 950.
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{1050});
  EXPECT_EQ(report.devices[0].peak_instant, Microseconds(2));
}

TEST(MemoryCaseTest, ViewAddsNothingAndKeepsItsInputAlive) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                ViewOp("view", 0, 1000),
                                TimedOp("c", 2, {{1, 0}}, {300}),
                                TimedOp("d", 3, {{2, 0}}, {600})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0, 0}));
  // c starts at 1 beside a's storage: 1000 + 300 (not 300, not 2300); freed at 3: 300 + 600.
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{1300});
  EXPECT_EQ(report.devices[0].peak_instant, Microseconds(1));
}

TEST(MemoryCaseTest, ChainOfViewsLivesUntilTheReaderOfTheLast) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                ViewOp("v1", 0, 1000),
                                ViewOp("v2", 1, 1000),
                                TimedOp("b", 1, {{0, 0}}, {20}),
                                TimedOp("c", 2, {{2, 0}, {3, 0}}, {300})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0, 0, 0}));
  // At 1: 1000, b adds 20; c starts at 2 with 1000 + 20 + 300.
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{1320});
  EXPECT_EQ(report.devices[0].peak_instant, Microseconds(2));
}

TEST(MemoryCaseTest, KeptViewHoldsTheStorageItShares) {
  sim::OpSpec view = ViewOp("view", 0, 1000);
  view.outputs[0].keep = true;
  const auto graph =
      MakeGraph({TimedOp("a", 1, {}, {1000}), view, After(1, TimedOp("c", 2, {}, {50}))});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0}));
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{1050});
}

TEST(MemoryCaseTest, ViewOnAnotherDeviceIsACopyAndItsSourceGoesWhenItEnds) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000}),
                                ViewOp("view", 0, 3000),
                                TimedOp("c", 2, {{1, 0}}, {50}),
                                TimedOp("during", 1, {{0, 0}}, {400}),
                                After(2, TimedOp("later", 1, {}, {3200}))});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 0, 1, 0, 0}));
  // d0: 3000 at 0; "during" 1–2 adds 400; the copy 1–4 holds a's storage; "later" at 6 has 3200
  // alone.
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{3400});
  EXPECT_EQ(report.devices[0].peak_instant, Microseconds(1));
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{3050});  // copy + c's output, at 4
  EXPECT_EQ(report.devices[1].peak_instant, Microseconds(4));
}

TEST(MemoryCaseTest, ViewOfACopySharesTheCopy) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {1000}), ViewOp("view", 0, 1000), TimedOp("c", 2, {{1, 0}}, {300})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1, 1}));
  EXPECT_EQ(report.devices[1].peak_memory,
            Bytes{1300});  // one copy of 1000 + 300, when c starts at 2
  EXPECT_EQ(report.devices[1].peak_instant, Microseconds(2));
}

TEST(MemoryCaseTest, CopyIsAllocatedAtTheTransfersStartAndFreedByItsLastReader) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {2000}),
                                TimedOp("u", 1, {{0, 0}}, {100}),
                                TimedOp("w", 1, {{1, 0}}, {1950})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1, 1}));
  // d1: 2000 from 1, 2100 from 3 (u); at 4 the copy is gone: 100 + 1950 = 2050.
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{2100});
  EXPECT_EQ(report.devices[1].peak_instant, Microseconds(3));
}

TEST(MemoryCaseTest, CopyOfParametersStaysResident) {
  const auto graph = MakeGraph(
      {VariableOp("w", 2000), TimedOp("u", 1, {{0, 0}}, {100}), TimedOp("x", 1, {{1, 0}}, {300})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1, 1}));
  // Copy 0–2, u 2–3, x at 3 beside the copy: 2000 + 100 + 300.
  EXPECT_EQ(report.devices[0].resident, Bytes{2000});
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{2000});
  EXPECT_EQ(report.devices[1].resident, Bytes{0});
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{2400});
  EXPECT_EQ(report.devices[1].peak_instant, Microseconds(3));
}

TEST(MemoryCaseTest, CopyOfAViewOfParametersStaysResidentToo) {
  const auto graph = MakeGraph({VariableOp("w", 2000),
                                ViewOp("view", 0, 2000),
                                TimedOp("u", 1, {{1, 0}}, {100}),
                                TimedOp("x", 1, {{2, 0}}, {300})});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 0, 1, 1}));
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{2400});
}

TEST(MemoryCaseTest, VariableWithManyReadersCountsOnce) {
  const auto graph = MakeGraph(
      {VariableOp("w", 2000), TimedOp("u", 1, {{0, 0}}, {100}), TimedOp("x", 1, {{0, 0}}, {300})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0}));
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{2300});  // u's 100 are gone when x starts at 1
}

TEST(MemoryCaseTest, RunsOutAtTheOpThatDoesNotFit) {
  const auto graph = MakeGraph({VariableOp("w", 2000),
                                TimedOp("a", 2, {{0, 0}}, {1000}),
                                TimedOp("b", 3, {{1, 0}}, {2500})});
  const sim::SimReport report =
      Simulate(graph, WithMemory(MeshMachine(1), 5499), PlacedOn({0, 0, 0}));
  // At 2: 2000 + 1000 in use, 2500 asked, 5500 > 5499.
  EXPECT_EQ(report.result.outcome, sim::Outcome::kOutOfMemory);
  EXPECT_EQ(report.result.makespan, Microseconds(2));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->device, "d0");
  EXPECT_EQ(report.failure->what, "op b");
  EXPECT_EQ(report.failure->requested, Bytes{2500});
  EXPECT_EQ(report.failure->in_use, Bytes{3000});
  EXPECT_EQ(report.failure->capacity, Bytes{5499});
  ASSERT_EQ(report.failure->largest_residents.size(), 2U);
  EXPECT_EQ(report.failure->largest_residents[0].name, "parameters of w");
  EXPECT_EQ(report.failure->largest_residents[0].bytes, Bytes{2000});
  EXPECT_EQ(report.failure->largest_residents[1].name, "a:0");
  EXPECT_FALSE(report.ops[2].has_value());
}

TEST(MemoryCaseTest, ExactlyFullIsNotTooFull) {
  const auto graph = MakeGraph({VariableOp("w", 2000),
                                TimedOp("a", 2, {{0, 0}}, {1000}),
                                TimedOp("b", 3, {{1, 0}}, {2500})});
  const sim::SimReport report =
      Simulate(graph, WithMemory(MeshMachine(1), 5500), PlacedOn({0, 0, 0}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kCompleted);
  EXPECT_EQ(report.result.peak_memory, Bytes{5500});
}

TEST(MemoryCaseTest, ReserveIsKeptBack) {
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {750})});
  sim::HardwareProfile machine = WithMemory(MeshMachine(1), 1000);
  machine.memory.reserve = 0.25;  // leaves 750
  EXPECT_EQ(Simulate(graph, machine, PlacedOn({0})).result.outcome, sim::Outcome::kCompleted);
  machine.devices[0].memory = Bytes{999};  // leaves 749
  EXPECT_EQ(Simulate(graph, machine, PlacedOn({0})).result.outcome, sim::Outcome::kOutOfMemory);
}

TEST(MemoryCaseTest, CopyThatDoesNotFitFailsWhenItWouldStart) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000}), TimedOp("b", 1, {{0, 0}}, {10})});
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].memory = Bytes{2999};
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1}));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->device, "d1");
  EXPECT_EQ(report.failure->what, "copy of a:0");
  EXPECT_EQ(report.failure->time, Microseconds(1));
}

// When a ends at 1, alone, its 100 bytes are to go to d1, which holds 1900 of 2000, and to d2,
// which holds 950. No transfer is in the way of another. Simulate() compares the largest of the
// peaks, d1's, with that of a run without a report.
std::shared_ptr<const sim::OpGraph> TwoReadersElsewhere(std::int64_t bytes_of_b) {
  return MakeGraph({TimedOp("a", 1, {}, {100}),
                    TimedOp("x", 5, {}, {1900}),
                    TimedOp("y", 5, {}, {950}),
                    TimedOp("b", 1, {{0, 0}}, {bytes_of_b}),
                    TimedOp("c", 1, {{0, 0}}, {1}),
                    TimedOp("e", 1, {{0, 0}}, {1})});
}

sim::HardwareProfile PairMachine(std::int64_t bytes_of_d2) {
  sim::HardwareProfile machine = WithMemory(
      MeshMachine(3, 0, {.links = false, .egress = false, .ingress = false, .pair = true}), 2000);
  machine.devices[2].memory = Bytes{bytes_of_d2};
  return machine;
}

TEST(MemoryCaseTest, TransfersBeforeTheOneThatDoesNotFitHaveStarted) {
  const auto graph = TwoReadersElsewhere(1);
  // c comes before e: the copy to d1 starts.
  const sim::SimReport first = Simulate(
      graph, PairMachine(1000), PlacedWithPriorities({0, 1, 2, 0, 1, 2}, {0, 0, 0, 0, 9, 5}));
  EXPECT_EQ(first.failure->device, "d2");
  EXPECT_EQ(first.result.peak_memory, Bytes{2000});
  // e comes before c: the run is over before the copy to d1 starts.
  const sim::SimReport second = Simulate(
      graph, PairMachine(1000), PlacedWithPriorities({0, 1, 2, 0, 1, 2}, {0, 0, 0, 0, 5, 9}));
  EXPECT_EQ(second.failure->device, "d2");
  EXPECT_EQ(second.result.peak_memory, Bytes{1900});
  EXPECT_EQ(second.result.num_transfers, 2);
}

// Kernels start before transfers.
TEST(MemoryCaseTest, NoTransferStartsBesideAKernelThatDoesNotFit) {
  const sim::SimReport report =
      Simulate(TwoReadersElsewhere(1901), PairMachine(2000), PlacedOn({0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(report.failure->what, "op b");
  EXPECT_EQ(report.result.peak_memory, Bytes{1900});
  EXPECT_EQ(report.result.num_transfers, 2);
}

TEST(MemoryCaseTest, OfTwoDevicesThatRunOutAtOnceTheFirstIsReported) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {3000}), TimedOp("b", 1, {}, {3000})});
  const sim::SimReport report = Simulate(graph, WithMemory(MeshMachine(2), 2000), PlacedOn({1, 0}));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->device, "d0");
  EXPECT_EQ(report.failure->what, "op b");
}

TEST(MemoryCaseTest, ParametersThatDoNotFitFailAtTimeZero) {
  const auto graph = MakeGraph({VariableOp("w", 2000), TimedOp("a", 1, {{0, 0}}, {10})});
  const sim::SimReport report = Simulate(graph, WithMemory(MeshMachine(1), 1999), PlacedOn({0, 0}));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->time, SimTime{});
  EXPECT_EQ(report.failure->device, "d0");
}

TEST(MemoryCaseTest, IgnoreReportsThePeakBeyondTheCapacity) {
  const auto graph = MakeGraph({VariableOp("w", 2000),
                                TimedOp("a", 2, {{0, 0}}, {1000}),
                                TimedOp("b", 3, {{1, 0}}, {2500})});
  sim::HardwareProfile machine = WithMemory(MeshMachine(1), 10);
  machine.memory.on_exceed = sim::OnExceed::kIgnore;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 0, 0}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kCompleted);
  EXPECT_EQ(report.result.peak_memory, Bytes{5500});
  EXPECT_EQ(report.devices[0].capacity, Bytes{10});
}

}  // namespace
}  // namespace opyard::testing
