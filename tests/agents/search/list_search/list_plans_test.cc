#include "agents/search/list_search/list_plans.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/evaluation.h"
#include "sim/base/rng.h"
#include "sim/engine/run/workspace.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;

// a, b and c alone; d after a.
std::vector<sim::OpSpec> FourOps() {
  std::vector<sim::OpSpec> ops = {
      TimedOp("a", 4), TimedOp("b", 3), TimedOp("c", 2), TimedOp("d", 1)};
  ops[3].inputs = {{0, 0}};
  return ops;
}

TEST(ListByKeysTest, TheGreatestKeyComesFirstUnlessItHasToWait) {
  const auto graph = MakeGraph(FourOps());
  // d has the greatest key but waits for a, which has the least.
  EXPECT_THAT(ListByKeys(*graph, std::vector{0.1, 0.2, 0.3, 0.9}),
              ElementsAre(OpId(2), OpId(1), OpId(0), OpId(3)));
  // Once a is listed, d goes before b, whose key is less.
  EXPECT_THAT(ListByKeys(*graph, std::vector{0.5, 0.2, 0.7, 0.9}),
              ElementsAre(OpId(2), OpId(0), OpId(3), OpId(1)));
}

TEST(ListByKeysTest, EqualKeysGiveTheTopologicalOrder) {
  const auto graph = MakeGraph(FourOps());
  const auto order = graph->topological_order();
  EXPECT_THAT(ListByKeys(*graph, std::vector(4, 0.5)),
              ::testing::ElementsAreArray(order.begin(), order.end()));
}

TEST(ListByKeysTest, ListsAllOpsAfterWhatTheyDependOn) {
  Rng rng(7);
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kBoth)) {
    SCOPED_TRACE(named.name);
    const sim::OpGraph& graph = named.problem->graph();
    std::vector<double> keys(graph.num_ops());
    for (double& key : keys) {
      key = rng.Uniform();
    }
    std::set<OpId> listed;
    for (const OpId op : ListByKeys(graph, keys)) {
      for (const TensorId input : graph.inputs(op)) {
        EXPECT_TRUE(listed.contains(graph.tensor(input).producer));
      }
      for (const OpId before : graph.control_inputs(op)) {
        EXPECT_TRUE(listed.contains(before));
      }
      EXPECT_TRUE(listed.insert(op).second);
    }
    EXPECT_EQ(listed.size(), graph.num_ops());
  }
}

TEST(ListPlansTest, TheListDecidesWhoWaits) {
  const auto problem = testing::MakeProblem(MakeGraph(FourOps()), MeshMachine(2), testing::kBoth);
  ListPlans plans(*problem, {}, std::nullopt, 0);
  // a, b, c, d on two devices in this order: a on one, b on the other, c where b ended at 3, d
  // where a ended at 4.
  const sim::Plan plan = plans.Make(std::vector{0.9, 0.8, 0.7, 0.1}, 0);
  EXPECT_EQ(plan.placement[0], plan.placement[3]);
  EXPECT_EQ(plan.placement[1], plan.placement[2]);
  EXPECT_NE(plan.placement[0], plan.placement[1]);
  // By start: a and b at 0, c at 3, d at 4.
  EXPECT_THAT(plan.op_priority, ElementsAre(3, 2, 1, 0));
}

// a, b and c of 2, 2 and 3 us on two devices. By the list c waits until 2 us and ends at 5. Shifted
// right it ends with the step, 3 us before, with a at 5 us before and b at 2 us: in this order a
// and c begin at 0, and b behind a ends at 4 us.
TEST(ListPlansTest, JustificationShortensTheSchedule) {
  const auto problem =
      testing::MakeProblem(MakeGraph({TimedOp("a", 2), TimedOp("b", 2), TimedOp("c", 3)}),
                           MeshMachine(2),
                           testing::kBoth);
  sim::Workspace workspace;
  const auto makespan = [&](std::int64_t most_justifications) {
    ListPlans plans(*problem, {}, std::nullopt, most_justifications);
    const sim::Plan plan = plans.Make(std::vector{0.9, 0.8, 0.7}, 0);
    return env::EvaluateUncounted(*problem, plan, workspace).result.makespan;
  };
  EXPECT_EQ(makespan(0), Microseconds(5));
  EXPECT_EQ(makespan(1), Microseconds(4));
}

TEST(ListPlansTest, WherePlacementIsNoTaskTheListIsTheOrder) {
  const auto problem =
      testing::MakeProblem(MakeGraph(FourOps()), MeshMachine(2), testing::kScheduling);
  ListPlans plans(*problem, {}, std::nullopt, 0);
  EXPECT_EQ(plans.num_ways(), 1U);
  const sim::Plan plan = plans.Make(std::vector{0.1, 0.2, 0.3, 0.9}, 0);
  EXPECT_EQ(plan.placement, problem->default_placement());
  EXPECT_THAT(plan.op_priority, ElementsAre(1, 2, 3, 0));
}

}  // namespace
}  // namespace opyard::agents
