#include "agents/planning/multilevel/levels.h"

#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "env/action_codec.h"
#include "sim/base/rng.h"
#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

std::shared_ptr<const env::Problem> ProblemOf(std::size_t num_ops, env::TaskSet tasks) {
  return testing::MakeProblem(
      opyard::testing::LayeredGraph(1, num_ops), opyard::testing::MeshMachine(3), tasks);
}

// LayeredGraph(1, n) has about 3 n groups. 128 groups are a level of their own where there are
// twice as many, 512 are one from 1,024 on.
TEST(LevelsTest, EachLevelHasFourTimesTheGroups) {
  const Levels few(*ProblemOf(60, testing::kPlacement));
  ASSERT_EQ(few.size(), 1U);
  EXPECT_EQ(few.MostGroups(0), few.finest().grouping().num_groups);

  const auto problem = ProblemOf(500, testing::kPlacement);
  const Levels many(*problem);
  ASSERT_EQ(many.size(), 3U);
  EXPECT_EQ(many.MostGroups(0), 128);
  EXPECT_EQ(many.MostGroups(1), 512);
  EXPECT_EQ(many.MostGroups(2), problem->finest_grouping().num_groups);
}

TEST(LevelsTest, AViewHasTheGroupsOfItsLevel) {
  const auto problem = ProblemOf(200, testing::kPlacement);
  const Levels levels(*problem);

  EXPECT_EQ(levels.View(0)->grouping().num_groups, 128);
  EXPECT_EQ(levels.View(1)->grouping(), problem->finest_grouping());
  EXPECT_EQ(levels.View(1).get(), &levels.finest());
}

// A plan whose ops have random devices, priorities and fusion priorities, but for co-located ones.
sim::Plan RandomPlan(const env::Problem& problem, Rng& rng) {
  const env::Problem finest(problem, problem.finest_grouping());
  Decisions decisions;
  for (std::size_t group = 0; group < NumGroups(finest); ++group) {
    const auto allowed = finest.AllowedDevices(GroupId(group));
    decisions.device_of_group.push_back(allowed[rng.Below(allowed.size())]);
    decisions.fusion_of_group.push_back(static_cast<std::int32_t>(rng.Below(3)));
  }
  sim::Plan plan = ToPlan(finest, decisions);
  std::vector<std::int64_t> priorities;
  for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
    priorities.push_back(static_cast<std::int64_t>(rng.Below(1'000)));
  }
  env::SetPriorities(plan, priorities);
  return plan;
}

// No level loses the plan that it is entered with: devices and fusion come back, and the order of
// priorities.
TEST(LevelsTest, AViewUnderAPlanHasThatPlan) {
  const auto problem = ProblemOf(200, testing::kAll);
  const Levels levels(*problem);
  Rng rng(1);
  for (int i = 0; i < 20; ++i) {
    const sim::Plan plan = RandomPlan(*problem, rng);
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const auto view = levels.ViewUnder(level, plan);
      const sim::Plan again = ToPlan(*view, ToDecisions(*view, plan));
      EXPECT_EQ(again.placement, plan.placement);
      EXPECT_EQ(again.fusion_priority, plan.fusion_priority);
      const auto ranks = [](const sim::Plan& of) {
        return env::RanksOf(std::vector<double>(of.op_priority.begin(), of.op_priority.end()));
      };
      EXPECT_EQ(ranks(again), ranks(plan));
    }
  }
}

TEST(LevelsTest, AViewUnderAPlanMergesWhatIsAlike) {
  const auto problem = ProblemOf(200, testing::kPlacement);
  const Levels levels(*problem);
  sim::Plan plan = env::DefaultPlan(*problem);

  EXPECT_EQ(levels.ViewUnder(0, plan)->grouping(), levels.View(0)->grouping());
}

}  // namespace
}  // namespace opyard::agents
