#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "sim/base/rng.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

// Independent ops of these parameters in kB, without outputs.
std::shared_ptr<const sim::OpGraph> Parameters(const std::vector<std::int64_t>& kilobytes) {
  std::vector<sim::OpSpec> ops;
  for (const std::int64_t size : kilobytes) {
    ops.push_back(TimedOp("op" + std::to_string(ops.size()), 5, {}, {}));
    ops.back().param_bytes = Bytes{size * 1000};
  }
  return MakeGraph(std::move(ops));
}

std::vector<std::int32_t> BestPlacement(const testing::Outcome& outcome) {
  std::vector<std::int32_t> devices;
  for (const DeviceId device : outcome.best->plan.placement) {
    devices.push_back(static_cast<std::int32_t>(device.index()));
  }
  return devices;
}

TEST(MTopoTest, FillsEachDeviceUpToAnEvenShareAndTheLargestOp) {
  // The limit is 240 / 3 + 70 = 150 kB: 50 + 30 + 70 = 150 are just within it, then 20 + 40 + 30.
  const auto problem = MakeProblem(Parameters({50, 30, 70, 20, 40, 30}), MeshMachine(3));
  const testing::Outcome outcome = RunAgent("m_topo", problem, {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_THAT(BestPlacement(outcome), ElementsAre(0, 0, 0, 1, 1, 1));
}

TEST(MTopoTest, CountsOutputsAndGoesInTopologicalOrder) {
  // b → a → c, of 60 kB each and 90 of b's output: 270 kB, the largest 150.
  std::vector<sim::OpSpec> ops{
      TimedOp("a", 2, {{1, 0}}, {}), TimedOp("b", 3, {}, {90'000}), TimedOp("c", 5, {{0, 0}}, {})};
  ops[0].outputs.push_back({.bytes = Bytes{0}});
  for (sim::OpSpec& op : ops) {
    op.param_bytes = Bytes{60'000};
  }
  // On two devices the limit is 135 + 150 = 285 and all stay; on three 90 + 150 = 240: b, a; c.
  const auto two = MakeProblem(MakeGraph(ops), MeshMachine(2));
  EXPECT_THAT(BestPlacement(RunAgent("m_topo", two, {})), ElementsAre(0, 0, 0));
  const auto three = MakeProblem(MakeGraph(ops), MeshMachine(3));
  EXPECT_THAT(BestPlacement(RunAgent("m_topo", three, {})), ElementsAre(0, 0, 1));
}

TEST(MTopoTest, AnOpThatMayNotBeOnTheDeviceAtHandDoesNotEndIt) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2), TimedOp("host", 3, {{0, 0}}), TimedOp("c", 5)};
  ops[1].device_kinds = sim::DeviceKindSet::None();
  ops[1].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  // 1 kB each: the limit is 3 / 2 + 1 = 2.5 kB, and d2 is the CPU.
  EXPECT_THAT(BestPlacement(RunAgent("m_topo", problem, {})), ElementsAre(0, 2, 0));
}

TEST(MTopoTest, KeepsToTheMemoryOfTheDeviceWhereThePapersLimitIsMore) {
  // The limit is 1800 / 2 + 600 = 1500 kB, but a device holds 1000: 600 + 300 and 600 + 300 fit,
  // 600 + 600 do not.
  const auto problem = MakeProblem(Parameters({600, 600, 300, 300}), MeshMachine(2));
  const testing::Outcome outcome = RunAgent("m_topo", problem, {});
  EXPECT_EQ(outcome.num_failures, 1);
  ASSERT_TRUE(outcome.best->evaluation.is_feasible());
  Options off;
  off.Set("capacity_test", std::string("off"));
  EXPECT_FALSE(RunAgent("m_topo", problem, {.options = off}).best->evaluation.is_feasible());
}

TEST(MTopoTest, FillsFewerDevicesAsWellUnlessPublished) {
  // A chain of six ops, with 1000 bytes between two, on four devices. The limit for four devices is
  // 2.5 kB: two ops per device, 6 · 5 + 2 us. The limit for two devices is 4 kB: 6 · 5 + 1 us. One
  // device alone takes 30 us.
  std::vector<sim::OpSpec> ops{TimedOp("op0", 5)};
  for (std::int64_t i = 1; i < 6; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 5, {{i - 1, 0}}));
  }
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(4));
  std::vector<SimTime> makespans;
  env::Evaluator evaluator(problem, {.on_evaluation = [&](const auto&, const auto& evaluation) {
                             makespans.push_back(evaluation.result.makespan);
                           }});
  Rng rng(1);
  testing::AgentsUnderTest().Make("m_topo_aware", {})->Search(*problem, evaluator, rng, {});
  EXPECT_THAT(std::set<SimTime>(makespans.begin(), makespans.end()),
              ElementsAre(Microseconds(30), Microseconds(31), Microseconds(32)));
}

TEST(MTopoTest, FitsMemoryWhereAFitExists) {
  Rng rng(20);
  std::size_t num_tight = 0;
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    std::vector<std::int64_t> kilobytes;
    for (int k = 0; k < 7; ++k) {
      kilobytes.push_back(rng.Between(50, 600));
    }
    const auto problem = MakeProblem(Parameters(kilobytes), MeshMachine(2));
    if (!testing::SomePlacementFits(problem)) {
      continue;
    }
    const testing::Outcome outcome = RunAgent("m_topo", problem, {});
    num_tight += outcome.num_failures > 0 ? 1 : 0;
    EXPECT_TRUE(outcome.best->evaluation.is_feasible()) << ::testing::PrintToString(kilobytes);
  }
  EXPECT_GT(num_tight, 10U);  // in some the paper's limit alone does not fit
}

}  // namespace
}  // namespace opyard::agents
