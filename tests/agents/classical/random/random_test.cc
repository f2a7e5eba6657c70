#include "agents/classical/random/random.h"

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;

TEST(RandomTest, UsesTheWholeBudgetWhereThereIsAChoice) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2), TimedOp("b", 3)}), MeshMachine(3));
  EXPECT_EQ(testing::RunAgent("random", problem, {.evaluations = 100}).num_evaluations, 100);
}

TEST(RandomTest, OneDeviceIsOnePlan) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2)}), MeshMachine(1));
  EXPECT_EQ(testing::RunAgent("random", problem, {.evaluations = 100}).num_evaluations, 1);
}

}  // namespace
}  // namespace opyard::agents
