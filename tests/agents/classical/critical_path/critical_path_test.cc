#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/estimates/ranks.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

// a (2 us, 3000 bytes) → b (7), c (5); b (2000 bytes), c (1000 bytes) → d (3).
std::shared_ptr<const sim::OpGraph> Diamond() {
  return MakeGraph({TimedOp("a", 2, {}, {3000}),
                    TimedOp("b", 7, {{0, 0}}, {2000}),
                    TimedOp("c", 5, {{0, 0}}, {1000}),
                    TimedOp("d", 3, {{1, 0}, {2, 0}})});
}

TEST(CriticalPathTest, PathsWithoutTransfersAddDurationsAlone) {
  const auto problem = MakeProblem(Diamond(), MeshMachine(2));
  const auto placement = opyard::testing::PlacedOn({0, 1, 0, 0}).placement;
  const auto paths = PathsToSink(*problem, TransferTimes(*problem), placement, EdgeTimes::kIgnored);
  // d: 3; c: 5 + 3; b: 7 + 3; a: 2 + 10.
  EXPECT_THAT(paths, ElementsAre(DoubleEq(12e-6), DoubleEq(10e-6), DoubleEq(8e-6), DoubleEq(3e-6)));
}

TEST(CriticalPathTest, PathsWithTransfersCountThoseOfThePlacement) {
  const auto problem = MakeProblem(Diamond(), MeshMachine(2));
  const auto placement = opyard::testing::PlacedOn({0, 1, 0, 0}).placement;
  const auto paths = PathsToSink(*problem, TransferTimes(*problem), placement, EdgeTimes::kCounted);
  // b is alone on d1: b = 7 + 2 + 3 = 12, a = 2 + 3 + 12 = 17.
  EXPECT_THAT(paths, ElementsAre(DoubleEq(17e-6), DoubleEq(12e-6), DoubleEq(8e-6), DoubleEq(3e-6)));
}

TEST(CriticalPathTest, OrdersByFallingKeyAndThenTopologically) {
  const auto graph = Diamond();
  const std::vector<double> key{5.0, 1.0, 5.0, 7.0};
  const auto id = [](std::int32_t i) { return OpId(i); };
  EXPECT_THAT(OrderByKey(*graph, key), ElementsAre(id(3), id(0), id(2), id(1)));
}

// One device. `early` is ready first by its index, but `start` begins the longer chain, whose end
// runs elsewhere: d1 waits for start.
TEST(CriticalPathTest, RunsTheHeadOfTheLongChainFirst) {
  std::vector<sim::OpSpec> ops{
      TimedOp("early", 5), TimedOp("start", 2, {}, {1000}), TimedOp("end", 11, {{1, 0}})};
  ops[2].device_kinds = sim::DeviceKindSet::None();
  ops[2].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(1), testing::kScheduling);
  const testing::Outcome outcome = RunAgent("critical_path", problem, {});
  // First come: early 5, start 7, transfer 8, end 19. By path: start 2, transfer 3, end 14.
  ASSERT_EQ(outcome.history.size(), 2U);
  EXPECT_EQ(outcome.history[0].result.makespan, Microseconds(19));
  EXPECT_EQ(outcome.history[1].result.makespan, Microseconds(14));
}

TEST(CriticalPathTest, PlacesIndependentWorkOnAllDevices) {
  const auto problem =
      MakeProblem(MakeGraph({TimedOp("a", 3), TimedOp("b", 5), TimedOp("c", 7)}), MeshMachine(3));
  const testing::Outcome outcome = RunAgent("critical_path", problem, {});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(7));
}

}  // namespace
}  // namespace opyard::agents
