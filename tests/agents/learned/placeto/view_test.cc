#include "agents/learned/placeto/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/learned/placeto/per_op.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::placeto {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeProblem;

// a → {b, c}, b → d by a control edge, c → d; e alone. Outputs in bytes: 4000, 2000, 1000, none
// that is read, none.
std::shared_ptr<const env::Problem> DiamondAndOne() {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2, {}, {4000}),
                                  TimedOp("b", 10, {{0, 0}}, {2000}),
                                  TimedOp("c", 5, {{0, 0}}, {1000}),
                                  TimedOp("d", 3, {{2, 0}}, {8000}),
                                  TimedOp("e", 1)};
  ops[3].control_inputs = {1};
  return MakeProblem(MakeGraph(std::move(ops)), MeshMachine(2));
}

const std::vector<std::int64_t>& PoolOf(const View& view, Pool pool, std::size_t node) {
  return view.pools[static_cast<std::size_t>(pool)][node];
}

TEST(PlacetoViewTest, PoolsAreWhatReachesANodeWhatItReachesAndTheRest) {
  const auto problem = DiamondAndOne();
  const View view = MakeView(*problem, kPerOp);
  // Nodes stand in the order of the ops: a 0, b 1, c 2, d 3, e 4.
  EXPECT_THAT(PoolOf(view, Pool::kAncestors, 0), IsEmpty());
  EXPECT_THAT(PoolOf(view, Pool::kDescendants, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(PoolOf(view, Pool::kParallel, 0), ElementsAre(4));
  EXPECT_THAT(PoolOf(view, Pool::kAncestors, 1), ElementsAre(0));
  EXPECT_THAT(PoolOf(view, Pool::kDescendants, 1), ElementsAre(3));
  EXPECT_THAT(PoolOf(view, Pool::kParallel, 1), ElementsAre(2, 4));
  EXPECT_THAT(PoolOf(view, Pool::kAncestors, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(PoolOf(view, Pool::kDescendants, 3), IsEmpty());
  EXPECT_THAT(PoolOf(view, Pool::kParallel, 4), ElementsAre(0, 1, 2, 3));
}

// Two states, in which d and b are visited. With node m of state t in row 2 m + t of each pool's
// ten: ancestors a, b, c of d and a of b; descendants none, d; parallel e, then c and e.
TEST(PlacetoViewTest, PoolsOfABatchReadTheRowsOfTheirOwnState) {
  const auto problem = DiamondAndOne();
  const SparseEdges edges = PoolEdges(MakeView(*problem, kPerOp), {3, 1});
  EXPECT_TRUE(torch::equal(
      edges.source,
      torch::tensor({0, 2, 4, 1, 10 + 2 * 3 + 1, 20 + 2 * 4, 20 + 2 * 2 + 1, 20 + 2 * 4 + 1},
                    torch::kLong)));
  EXPECT_TRUE(torch::equal(edges.target, torch::tensor({0, 0, 0, 1, 3, 4, 5, 5}, torch::kLong)));
  EXPECT_EQ(edges.num_rows, 6);
}

TEST(PlacetoViewTest, EachNodeReadsThoseBesideItInBothDirections) {
  const auto problem = DiamondAndOne();
  const View view = MakeView(*problem, kPerOp);
  // a feeds b and c; both feed d. From the sinks back all rows are five further on.
  EXPECT_TRUE(torch::equal(view.edges.source,
                           torch::tensor({0, 0, 1, 2, 5 + 1, 5 + 2, 5 + 3, 5 + 3}, torch::kLong)));
  EXPECT_TRUE(torch::equal(view.edges.target,
                           torch::tensor({1, 2, 3, 3, 5 + 0, 5 + 0, 5 + 1, 5 + 2}, torch::kLong)));
  EXPECT_EQ(view.edges.num_rows, 10);
}

// Output bytes count where another node reads them: those of b are not read at all.
TEST(PlacetoViewTest, CostsAndOutputsAreDividedByTheGreatest) {
  const auto problem = DiamondAndOne();
  const View view = MakeView(*problem, kPerOp);
  EXPECT_TRUE(torch::allclose(view.cost, torch::tensor({0.2, 1.0, 0.5, 0.3, 0.1}, torch::kFloat)));
  EXPECT_TRUE(
      torch::allclose(view.output, torch::tensor({1.0, 0.0, 0.25, 0.0, 0.0}, torch::kFloat)));
}

// Two nodes of a → b → c → d, of which a and c belong together: each feeds the other.
TEST(PlacetoViewTest, CirclesOfMergedNodesAreAncestorsAndDescendants) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2),
                                  TimedOp("b", 3, {{0, 0}}),
                                  TimedOp("c", 5, {{1, 0}}),
                                  TimedOp("d", 7, {{2, 0}})};
  ops[0].colocation = "label";
  ops[2].colocation = "label";
  const auto problem = MakeProblem(MakeGraph(std::move(ops)), MeshMachine(2));
  const View view = MakeView(*problem, kPerOp);
  ASSERT_EQ(view.sequence.num_groups, 3);
  EXPECT_THAT(PoolOf(view, Pool::kAncestors, 1), ElementsAre(0));
  EXPECT_THAT(PoolOf(view, Pool::kDescendants, 1), ElementsAre(0, 2));
  EXPECT_THAT(PoolOf(view, Pool::kAncestors, 0), ElementsAre(1));
  EXPECT_THAT(PoolOf(view, Pool::kParallel, 0), IsEmpty());
}

TEST(PlacetoViewTest, NodesWithoutAChoiceAreNotVisited) {
  sim::OpSpec host_only = TimedOp("host", 1, {{0, 0}});
  host_only.device_kinds = sim::DeviceKindSet::None();
  host_only.device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(
      MakeGraph({TimedOp("a", 2), host_only, TimedOp("b", 3, {{1, 0}})}), testing::MeshWithCpu(2));
  EXPECT_THAT(MakeView(*problem, kPerOp).visited, ElementsAre(0, 2));
}

}  // namespace
}  // namespace opyard::agents::placeto
