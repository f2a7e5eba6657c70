#include "agents/planning/encoding/random_decisions.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;

std::shared_ptr<const env::Problem> TwoOps(env::TaskSet tasks) {
  return MakeProblem(MakeGraph({TimedOp("a", 2), TimedOp("b", 3)}), MeshMachine(3), tasks);
}

TEST(RandomDecisionsTest, SamplesEachDeviceEquallyOften) {
  const auto problem = TwoOps(testing::kPlacement);
  Rng rng(1);
  std::array<int, 3> count{};
  for (int i = 0; i < 3000; ++i) {
    ++count[RandomDecisions(*problem, 20, rng).device_of_group[0].index()];
  }
  // 3000 samples: mean 1000, standard deviation sqrt(3000 · 2/9) = 26; five of them.
  for (const int n : count) {
    EXPECT_NEAR(n, 1000, 130);
  }
}

TEST(RandomDecisionsTest, SamplesGroupsIndependently) {
  const auto problem = TwoOps(testing::kPlacement);
  Rng rng(2);
  int num_equal = 0;
  for (int i = 0; i < 3000; ++i) {
    const Decisions decisions = RandomDecisions(*problem, 20, rng);
    num_equal += decisions.device_of_group[0] == decisions.device_of_group[1] ? 1 : 0;
  }
  EXPECT_NEAR(num_equal, 1000, 130);
}

TEST(RandomDecisionsTest, SamplesPrioritiesBelowTheNumberOfLevels) {
  const auto problem = TwoOps(testing::kScheduling);
  Rng rng(3);
  std::array<int, 4> count{};
  for (int i = 0; i < 4000; ++i) {
    const Decisions decisions = RandomDecisions(*problem, 4, rng);
    EXPECT_TRUE(decisions.device_of_group.empty());
    ++count.at(static_cast<std::size_t>(decisions.priority_of_group[1]));
  }
  // Mean 1000, standard deviation sqrt(4000 · 3/16) = 27.
  for (const int n : count) {
    EXPECT_NEAR(n, 1000, 137);
  }
}

}  // namespace
}  // namespace opyard::agents
