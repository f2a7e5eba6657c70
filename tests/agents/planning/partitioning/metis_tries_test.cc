#include "agents/planning/partitioning/metis_tries.h"

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;

std::shared_ptr<const env::Problem> ProblemOf(std::size_t num_ops) {
  std::vector<sim::OpSpec> ops;
  for (std::size_t i = 0; i < num_ops; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 1));
  }
  return testing::MakeProblem(MakeGraph(std::move(ops)), MeshMachine(2));
}

TEST(AffordableTriesTest, OneForEveryFortyEvaluations) {
  const auto problem = ProblemOf(10);
  EXPECT_EQ(AffordableTries(*problem, 5'000, 16), 125);
  EXPECT_EQ(AffordableTries(*problem, 1'000, 16), 25);
}

TEST(AffordableTriesTest, NoFewerThanTheLeast) {
  EXPECT_EQ(AffordableTries(*ProblemOf(10), 100, 16), 16);
  EXPECT_EQ(AffordableTries(*ProblemOf(10), 0, 8), 8);
}

// 65,536 / 512 = 128.
TEST(AffordableTriesTest, FewerOfManyGroups) {
  EXPECT_EQ(AffordableTries(*ProblemOf(512), 50'000, 16), 128);
  EXPECT_EQ(AffordableTries(*ProblemOf(512), 50'000, 200), 200);
}

TEST(AffordableTriesTest, AThousandAtMost) {
  EXPECT_EQ(AffordableTries(*ProblemOf(2), 1'000'000'000, 16), 1'000);
}

}  // namespace
}  // namespace opyard::agents
