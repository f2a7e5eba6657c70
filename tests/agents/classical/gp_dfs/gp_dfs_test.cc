#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/gp_dfs/depth_first_order.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

TEST(GpDfsTest, EachWayIsFinishedBeforeTheNextAndTheOneWithMostBytesComesFirst) {
  // a → c and b → d meet in e: 5 kB hang on the way over c, 7 kB on the one over d.
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {3000}),
                                TimedOp("b", 2, {}, {5000}),
                                TimedOp("c", 2, {{0, 0}}, {2000}),
                                TimedOp("d", 2, {{1, 0}}, {2000}),
                                TimedOp("e", 2, {{2, 0}, {3, 0}})});
  EXPECT_THAT(DepthFirstOrder(*graph), ElementsAre(OpId(1), OpId(3), OpId(0), OpId(2), OpId(4)));
}

TEST(GpDfsTest, WaysOnWhichMoreOpsReadComeFirst) {
  // b makes less than a, but c and d both read it.
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {9000}),
                                TimedOp("b", 2, {}, {1000}),
                                TimedOp("c", 2, {{0, 0}, {1, 0}}),
                                TimedOp("d", 2, {{1, 0}})});
  // Among the sinks, c has the same extra reader before it as d, and more bytes.
  EXPECT_THAT(DepthFirstOrder(*graph), ElementsAre(OpId(1), OpId(0), OpId(2), OpId(3)));
}

TEST(GpDfsTest, ControlEdgesAreWaitedForAsWell) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2), TimedOp("b", 2)};
  ops[0].control_inputs = {1};
  EXPECT_THAT(DepthFirstOrder(*MakeGraph(ops)), ElementsAre(OpId(1), OpId(0)));
}

TEST(GpDfsTest, WaysWithoutNumberAreSummedUp) {
  // Each op reads the two before it: more ways to the sink than a double can count.
  std::vector<sim::OpSpec> ops{TimedOp("op0", 2), TimedOp("op1", 2, {{0, 0}})};
  for (std::int64_t i = 2; i < 2000; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2, {{i - 1, 0}, {i - 2, 0}}));
  }
  const std::vector<OpId> order = DepthFirstOrder(*MakeGraph(ops));
  ASSERT_EQ(order.size(), ops.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(order[i], OpId(i));
  }
}

TEST(GpDfsTest, HoldsOneWayInMemoryAtATime) {
  // First come: a and b run before c and d, 5000 + 5000 + 10 bytes. Depth first: a and c make
  // 5010 bytes, of which 10 stay, and b and d 5010 more.
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {5000}),
                                TimedOp("b", 2, {}, {5000}),
                                TimedOp("c", 2, {{0, 0}}, {10}),
                                TimedOp("d", 2, {{1, 0}}, {10}),
                                TimedOp("e", 2, {{2, 0}, {3, 0}}, {})});
  const auto problem = MakeProblem(graph, MeshMachine(1), testing::kBoth);
  const testing::Outcome outcome = RunAgent("gp_dfs", problem, {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_EQ(outcome.best->evaluation.result.peak_memory, Bytes{5020});
}

}  // namespace
}  // namespace opyard::agents
