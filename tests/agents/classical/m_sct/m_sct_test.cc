#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/m_sct/favourites.h"
#include "agents/classical/m_sct/relaxed_program.h"
#include "sim/base/rng.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using opyard::testing::VariableOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

bool GoOn() {
  return false;
}

// a (2) → b (7) by a transfer of 3, a → c (5) by one of 4.
PrecedenceGraph Fork() {
  return {.seconds = {2.0, 7.0, 5.0},
          .edges = {{.source = 0, .target = 1, .transfer_s = 3.0},
                    {.source = 0, .target = 2, .transfer_s = 4.0}}};
}

TEST(MSctTest, TheProgramSharesTheCostOfAForkBetweenItsBranches) {
  // x of b is t and that of c at least 1 − t. Over b the makespan is 2 + 3·t + 7, over c
  // 2 + 4·(1 − t) + 5: both are 9 + 6/7 at t = 2/7, and one of them is more elsewhere.
  const auto x = SolveRelaxedProgram(Fork(), GoOn);
  ASSERT_TRUE(x.has_value());
  EXPECT_NEAR((*x)[0], 2.0 / 7.0, 1e-6);  // CLP's tolerance is 1e-7
  EXPECT_NEAR((*x)[1], 5.0 / 7.0, 1e-6);
}

TEST(MSctTest, TheFavouriteIsOnTheLongestWayAndNotTheDearestTransfer) {
  EXPECT_THAT(*FindFavouritesByProgram(Fork(), GoOn), ElementsAre(1, 0));
  EXPECT_THAT(FavouritesBySize(Fork()), ElementsAre(0, 1));
}

TEST(MSctTest, WhereTheMakespanLeavesItOpenTheDearerTransferIsTheFavourite) {
  // d (20), beside, is longer than 2 + 4 + 7 and 2 + 3 + 5.
  PrecedenceGraph graph = Fork();
  graph.seconds.push_back(20.0);
  EXPECT_THAT(*FindFavouritesByProgram(graph, GoOn), ElementsAre(0, 1));
}

TEST(MSctTest, NoOpHasTwoFavouritesAndNoneIsThatOfTwo) {
  Rng rng(3);
  PrecedenceGraph graph;
  for (std::size_t node = 0; node < 60; ++node) {
    graph.seconds.push_back(static_cast<double>(rng.Between(1, 9)));
    for (std::size_t source = node < 12 ? 0 : node - 12; source < node; source += 3) {
      graph.edges.push_back(
          {.source = source, .target = node, .transfer_s = static_cast<double>(rng.Between(0, 9))});
    }
  }
  for (const Favourites& favourites :
       {*FindFavouritesByProgram(graph, GoOn), FavouritesBySize(graph)}) {
    std::vector<int> children(60, 0);
    std::vector<int> parents(60, 0);
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      children[graph.edges[i].source] += favourites[i];
      parents[graph.edges[i].target] += favourites[i];
      EXPECT_TRUE(favourites[i] == 0 || graph.edges[i].transfer_s > 0.0);
    }
    EXPECT_EQ(std::ranges::max(children), 1);
    EXPECT_EQ(std::ranges::max(parents), 1);
    EXPECT_GT(std::ranges::count(favourites, 1), 20);
  }
}

TEST(MSctTest, TheProgramEndsOnRequest) {
  // A lattice whose program takes some hundred steps.
  PrecedenceGraph graph;
  for (std::size_t node = 0; node < 400; ++node) {
    graph.seconds.push_back(static_cast<double>(node % 7 + 1));
    for (const std::size_t step : {1U, 3U, 20U}) {
      if (node >= step) {
        graph.edges.push_back({.source = node - step,
                               .target = node,
                               .transfer_s = static_cast<double>((node * step) % 11 + 1)});
      }
    }
  }
  EXPECT_TRUE(SolveRelaxedProgram(graph, GoOn).has_value());
  int asked = 0;
  EXPECT_FALSE(SolveRelaxedProgram(graph, [&] { return ++asked >= 10; }).has_value());
  EXPECT_LT(asked, 20);
}

TEST(MSctTest, TransfersInsideAGroupAndFromVariablesAreNone) {
  std::vector<sim::OpSpec> ops{VariableOp("weights", 4000),
                               TimedOp("a", 2, {{0, 0}}, {3000}),
                               TimedOp("b", 7, {{1, 0}}, {2000}),
                               TimedOp("c", 5, {{2, 0}})};
  ops[1].colocation = "x";
  ops[2].colocation = "x";
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  const PrecedenceGraph graph = BuildPrecedenceGraph(
      *problem, problem->grouping(), TransferTimes(*problem), OpTimes::Alone(*problem));
  std::vector<double> transfers_us;
  for (const PrecedenceGraph::Edge& edge : graph.edges) {
    transfers_us.push_back(edge.transfer_s * 1e6);
  }
  // weights → a, a → b, b → c: 2000 bytes at 1000 a microsecond.
  EXPECT_THAT(transfers_us, ElementsAre(0.0, 0.0, ::testing::DoubleNear(2.0, 1e-9)));
}

TEST(MSctTest, KeepsTheDeviceForTheLongBranch) {
  // c stands before b. Earliest start first puts c on a's device at 2. Then b starts elsewhere at
  // 2 + 4 and ends at 13. The favourite is b (2 + 4·t + 7 = 2 + 3·(1 − t) + 5 at t = 1/7). With it,
  // b runs on a's device until 9, and c elsewhere from 5 to 10.
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2, {}, {3000, 4000}),
                                              TimedOp("c", 5, {{0, 0}}),
                                              TimedOp("b", 7, {{0, 1}})}),
                                   MeshMachine(2));
  EXPECT_EQ(RunAgent("m_etf", problem, {}).best->evaluation.result.makespan, Microseconds(13));
  EXPECT_EQ(RunAgent("m_sct", problem, {}).best->evaluation.result.makespan, Microseconds(10));
}

TEST(MSctTest, FitsParametersWhereAFitExists) {
  Rng rng(22);
  std::size_t num_checked = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    std::vector<sim::OpSpec> ops;
    for (std::int64_t k = 0; k < 4; ++k) {
      ops.push_back(TimedOp("first" + std::to_string(k), rng.Between(1, 9)));
      ops.back().param_bytes = Bytes{rng.Between(100, 450) * 1000};
      ops.push_back(TimedOp("second" + std::to_string(k), rng.Between(1, 9), {{2 * k, 0}}, {}));
      ops.back().param_bytes = Bytes{rng.Between(20, 100) * 1000};
    }
    const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
    if (testing::SomePlacementFits(problem)) {
      ++num_checked;
      EXPECT_TRUE(RunAgent("m_sct_aware", problem, {}).best->evaluation.is_feasible());
    }
  }
  EXPECT_GT(num_checked, 20U);
}

}  // namespace
}  // namespace opyard::agents
