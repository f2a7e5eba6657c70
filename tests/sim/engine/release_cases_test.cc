// No op is ready before its release. Times in comments are microseconds, sizes bytes; links carry
// 1000 bytes in one. Simulate() also checks the reference simulator.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/plan/op_change.h"
#include "tests/support/agreement.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

sim::OpSpec ReleasedAt(std::int64_t us, sim::OpSpec op) {
  op.release = Microseconds(us);
  return op;
}

// An elementwise op that alone takes `us`.
sim::OpSpec LightOp(const std::string& name,
                    std::int64_t us,
                    const std::vector<sim::InputRef>& inputs = {}) {
  sim::OpSpec op = TimedOp(name, us, inputs);
  op.fusion_class = sim::FusionClass::kElementwise;
  return op;
}

// 1000 bytes take a microsecond to read or to write in a device's memory, too.
sim::HardwareProfile SlowMemories(std::size_t num_devices) {
  sim::HardwareProfile machine = MeshMachine(num_devices);
  for (sim::Device& device : machine.devices) {
    device.memory_bandwidth_bytes_per_s = 1e9;
  }
  return machine;
}

TEST(ReleaseCaseTest, AnOpOfAChainStartsAtTheLaterOfReleaseAndInput) {
  const auto starts = [](std::int64_t release_us) {
    const auto graph =
        MakeGraph({TimedOp("a", 2), ReleasedAt(release_us, TimedOp("b", 3, {{0, 0}}))});
    return StartsInUs(Simulate(graph, MeshMachine(1), PlacedOn({0, 0})));
  };
  EXPECT_THAT(starts(5), ElementsAre(0, 5));
  EXPECT_THAT(starts(2), ElementsAre(0, 2));  // a ends at 2, when b is released
  EXPECT_THAT(starts(1), ElementsAre(0, 2));
}

TEST(ReleaseCaseTest, ASourceStartsAtItsReleaseAndItsDeviceHasNoReadyWorkBefore) {
  const auto graph = MakeGraph({ReleasedAt(3, TimedOp("a", 2))});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0}));
  EXPECT_EQ(report.result.makespan, Microseconds(5));
  EXPECT_EQ(report.devices[0].busy, Microseconds(2));
  EXPECT_EQ(report.devices[0].idle_no_ready_work, Microseconds(3));
}

TEST(ReleaseCaseTest, AnOpWithoutTimeEndsTheStepAtItsRelease) {
  const auto graph = MakeGraph({TimedOp("a", 2), ReleasedAt(7, TimedOp("zero", 0))});
  EXPECT_EQ(Simulate(graph, MeshMachine(1), PlacedOn({0, 0})).result.makespan, Microseconds(7));
}

TEST(ReleaseCaseTest, TwoJobsOnOneDeviceFollowTheirReleases) {
  // Job 1 is a → b, released at 3; job 2 is c → d, released at 1.
  const auto graph = MakeGraph({ReleasedAt(3, TimedOp("a", 2)),
                                ReleasedAt(3, TimedOp("b", 2, {{0, 0}})),
                                ReleasedAt(1, TimedOp("c", 5)),
                                ReleasedAt(1, TimedOp("d", 1, {{2, 0}}))});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), PlacedOn({0, 0, 0, 0}));
  // c 1–6; a is ready since 3, d since 6: a 6–8, d 8–9, b (since 8) 9–11.
  EXPECT_THAT(StartsInUs(report), ElementsAre(6, 9, 1, 8));
}

TEST(ReleaseCaseTest, FifoOrdersByTheReleaseNotByTheLastInput) {
  const auto graph = MakeGraph({ReleasedAt(5, TimedOp("early", 1, {{2, 0}})),
                                TimedOp("late", 1, {{3, 0}}),
                                TimedOp("gate", 1),
                                TimedOp("slow", 2),
                                TimedOp("busy", 7)});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 0, 1, 1, 0}));
  // d1: gate 0–1, its copy arrives at 2; slow 1–3, its copy at 4. d0: busy 0–7. early has its input
  // since 2 but is ready since 5, late since 4: late 7–8, early 8–9.
  EXPECT_THAT(StartsInUs(report), ElementsAre(8, 7, 0, 1, 0));
}

TEST(ReleaseCaseTest, OpsReadyAtOneInstantFollowTheTopologicalIndex) {
  const auto graph = MakeGraph({TimedOp("busy", 7),
                                ReleasedAt(4, TimedOp("first", 1)),
                                TimedOp("second", 1, {{3, 0}}),
                                TimedOp("slow", 3)});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 0, 0, 1}));
  // slow 0–3 on d1, its copy arrives at 4, when first is released: first 7–8, second 8–9.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 7, 8, 0));
}

TEST(ReleaseCaseTest, ADeviceDoesNotWaitForAReleaseWhateverItsPriority) {
  const auto graph = MakeGraph({TimedOp("low", 10), ReleasedAt(1, TimedOp("high", 2))});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(1), PlacedWithPriorities({0, 0}, {1, 9}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 10));
}

TEST(ReleaseCaseTest, ACopyGoesBeforeItsReaderIsReleased) {
  const auto graph =
      MakeGraph({TimedOp("a", 2, {}, {3000}), ReleasedAt(9, TimedOp("b", 1, {{0, 0}}))});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 1}));
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(2, 5)));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 9));
}

TEST(ReleaseCaseTest, AReleasedOpWaitsForTheHost) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.execution.dispatch = Microseconds(4);
  const auto graph = MakeGraph({ReleasedAt(9, TimedOp("a", 2)), ReleasedAt(5, TimedOp("b", 2))});
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 0}));
  // The host does not wait for releases: a is issued at 4, b at 8. b 8–10, a (since 9) 10–12. The
  // device waits for a release until 5, for the host until 8.
  EXPECT_THAT(StartsInUs(report), ElementsAre(10, 8));
  EXPECT_EQ(report.devices[0].idle_no_ready_work, Microseconds(5));
  EXPECT_EQ(report.devices[0].idle_dispatch, Microseconds(3));
}

TEST(ReleaseCaseTest, AReleasedOpWaitsForMemory) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.memory.on_exceed = sim::OnExceed::kWait;
  machine.devices[0].memory = Bytes{1500};
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {1000}),
                                ReleasedAt(6, TimedOp("reader", 2, {{0, 0}}, {100})),
                                ReleasedAt(4, TimedOp("big", 3, {}, {900}))});
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 0, 0}));
  // a's 1000 bytes stay until reader, released at 6, has ended at 8; big does not fit beside them.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 6, 8));
  EXPECT_EQ(report.devices[0].idle_no_ready_work, Microseconds(3));       // 1–4
  EXPECT_EQ(report.devices[0].idle_waiting_for_memory, Microseconds(2));  // 4–6
}

TEST(ReleaseCaseTest, AKernelHasTheLatestReleaseOfItsOps) {
  sim::Plan plan = PlacedOn({0, 0, 1});
  plan.fusion_priority = {1, 1, 1};
  const auto graph = MakeGraph({ReleasedAt(4, LightOp("a", 2)),
                                ReleasedAt(6, LightOp("b", 5, {{0, 0}})),
                                ReleasedAt(1, LightOp("c", 3))});
  const sim::SimReport report = Simulate(graph, SlowMemories(2), plan);
  EXPECT_THAT(report.groups, ElementsAre(0, 0, 2));
  EXPECT_THAT(StartsInUs(report), ElementsAre(6, 6, 1));
}

TEST(ReleaseCaseTest, BoundsPassNoOpBeforeItsRelease) {
  const auto graph = MakeGraph({TimedOp("a", 2),
                                ReleasedAt(5, TimedOp("b", 3, {{0, 0}})),
                                TimedOp("c", 1, {{1, 0}}),
                                TimedOp("d", 4)});
  const sim::SimReport report = Simulate(graph, MeshMachine(2), PlacedOn({0, 0, 0, 1}));
  // b from 5 on, then c: 5 + 3 + 1. Without the release a, b, c take 6 and the work is 10 / 2.
  EXPECT_EQ(report.problem_bound, Microseconds(9));
  EXPECT_EQ(report.plan_bound, Microseconds(9));
  EXPECT_EQ(report.result.makespan, Microseconds(9));
}

TEST(ReleaseCaseTest, TheBoundOfAFusedPlanCountsItsKernelsReleases) {
  sim::Plan plan = PlacedOn({0, 0});
  plan.fusion_priority = {1, 1};
  const auto graph = MakeGraph({LightOp("a", 2), ReleasedAt(6, LightOp("b", 5, {{0, 0}}))});
  const sim::SimReport report = Simulate(graph, SlowMemories(1), plan);
  EXPECT_THAT(report.groups, ElementsAre(0, 0));
  // One kernel, from 6 on, which takes 2 + 5 without a's write and b's read.
  EXPECT_EQ(report.plan_bound, Microseconds(11));
  EXPECT_EQ(report.result.makespan, Microseconds(11));
}

TEST(ReleaseCaseTest, ARunIsCutOffJustBelowItsMakespan) {
  const auto graph = MakeGraph({TimedOp("a", 2), ReleasedAt(5, TimedOp("b", 3, {{0, 0}}))});
  const EngineAndReference both(graph, MeshMachine(1));
  const sim::Plan plan = PlacedOn({0, 0});
  sim::Workspace workspace;
  const sim::SimResult whole = both.simulator().Run(plan, workspace);
  EXPECT_EQ(whole.makespan, Microseconds(8));
  EXPECT_EQ(both.simulator().RunUntil(plan, whole.makespan, workspace), whole);
  const SimTime too_early{whole.makespan.picoseconds - 1};
  EXPECT_EQ(both.simulator().RunUntil(plan, too_early, workspace).outcome, sim::Outcome::kCutOff);
}

// Of 40 ops of 1 us, each released 2 us after the one before it, the last moves to the other
// device. It has no effect before its release at 78 us, so that the beginning is not run again.
TEST(ReleaseCaseTest, ANeighbourBeginsBeforeTheReleaseOfWhatMoves) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 40; ++i) {
    ops.push_back(ReleasedAt(2 * i, TimedOp("op" + std::to_string(i), 1)));
  }
  const EngineAndReference both(MakeGraph(ops), MeshMachine(2));
  sim::Plan plan = PlacedOn(std::vector<std::int32_t>(40, 0));
  sim::Workspace workspace;
  sim::Workspace neighbour;
  sim::RunHistory history;
  EXPECT_EQ(both.simulator().RunWithCheckpoints(plan, workspace, history).makespan,
            Microseconds(79));
  const std::vector<sim::OpChange> move = {{.op = OpId(std::size_t{39}), .device = DeviceId(1)}};
  const SimTime no_limit{std::numeric_limits<std::int64_t>::max()};
  const sim::SimResult found = both.simulator().ResimulateFrom(history, move, no_limit, neighbour);
  EXPECT_EQ(neighbour.scratch.changed_plan, sim::Plan{});  // which a run from time 0 fills
  sim::Apply(move, plan);
  EXPECT_EQ(found, both.simulator().Run(plan, workspace));
}

TEST(ReleaseCaseTest, OnlyGraphsWithAReleaseHaveAny) {
  const EngineAndReference without(MakeGraph({TimedOp("a", 2), TimedOp("b", 1)}), MeshMachine(1));
  EXPECT_THAT(without.simulator().problem().unfused.release_ps, IsEmpty());
  const EngineAndReference with(MakeGraph({TimedOp("a", 2), ReleasedAt(3, TimedOp("b", 1))}),
                                MeshMachine(1));
  EXPECT_THAT(with.simulator().problem().unfused.release_ps, ElementsAre(0, 3'000'000));
}

TEST(ReleaseCaseTest, RulesPlacetoAreRefusedWithTheOp) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.name = "old";
  machine.rules = sim::Rules::kPlaceto;
  const auto graph = MakeGraph({TimedOp("a", 2), ReleasedAt(3, TimedOp("b", 1))});
  try {
    const EngineAndReference both(graph, machine);
    FAIL() << "accepted";
  } catch (const UnsupportedError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(": op b has a release, but machine old has rules placeto, under which "
                          "this version simulates none"));
  }
}

// 4.6e6 s of release and as much of work end beyond 9e6 s.
TEST(ReleaseCaseTest, AReleaseAfterWhichTheWorkDoesNotFitIsRefused) {
  sim::OpSpec late = TimedOp("late", 1);
  late.release = SimTime::FromSeconds(kLargestSeconds);
  sim::OpSpec slow = TimedOp("slow", 1);
  slow.seconds = {{.where = "*", .seconds = 4.5e6}};
  const auto graph = MakeGraph({late, slow});
  EXPECT_THROW(EngineAndReference(graph, MeshMachine(1)), InputError);
}

}  // namespace
}  // namespace opyard::testing
