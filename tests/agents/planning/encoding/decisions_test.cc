#include "agents/planning/encoding/decisions.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/encoding/random_decisions.h"
#include "env/action_codec.h"
#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

using testing::ConformanceProblems;
using testing::kAll;
using testing::kBoth;
using testing::kFusion;
using testing::kPlacement;
using testing::kScheduling;
using testing::NamedProblem;

TEST(DecisionsTest, APlanOfDecisionsSaysWhichTheyWere) {
  for (const env::TaskSet tasks : {kPlacement, kScheduling, kBoth, kFusion, kAll}) {
    for (const NamedProblem& named : ConformanceProblems(tasks)) {
      SCOPED_TRACE(named.name);
      Rng rng(3);
      for (int i = 0; i < 5; ++i) {
        const Decisions decisions = RandomDecisions(*named.problem, 20, rng);
        EXPECT_EQ(ToDecisions(*named.problem, ToPlan(*named.problem, decisions)), decisions);
      }
    }
  }
}

// Priorities that are no levels: ranks of many ops, falling along the graph.
sim::Plan PlanWithRanks(const env::Problem& problem) {
  sim::Plan plan = env::DefaultPlan(problem);
  std::vector<std::int64_t> priorities;
  for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
    priorities.push_back(-1 - 100 * static_cast<std::int64_t>(i * i));
  }
  env::SetPriorities(plan, std::move(priorities));
  return plan;
}

TEST(DecisionsTest, PrioritiesOfOpsKeepTheirOrder) {
  for (const NamedProblem& named : ConformanceProblems(kScheduling)) {
    SCOPED_TRACE(named.name);
    const sim::Plan plan = PlanWithRanks(*named.problem);
    const Decisions decisions = ToDecisions(*named.problem, plan);

    EXPECT_THAT(decisions.priority_of_group, ::testing::Each(kDefaultLevels / 2));
    const sim::Plan again = ToPlan(*named.problem, decisions);
    ASSERT_EQ(again.op_priority.size(), plan.op_priority.size());
    EXPECT_TRUE(std::ranges::is_sorted(again.op_priority, std::ranges::greater_equal{}));
  }
}

TEST(DecisionsTest, TheLowestLevelLiesBehindAllInTheMiddle) {
  const NamedProblem named = ConformanceProblems(kScheduling).back();
  const env::Problem& problem = *named.problem;
  Decisions decisions = ToDecisions(problem, PlanWithRanks(problem));
  const auto priority = [&](std::size_t i) { return PriorityOf(problem, decisions, OpId(i)); };
  const std::size_t last = problem.graph().num_ops() - 1;
  ASSERT_NE(GroupOf(problem, OpId(last)), GroupOf(problem, OpId(0)));

  // The ranks, times 20 levels, lie from 0 to 20 · (num_ops − 1); the ten levels from the middle to
  // the lowest are worth 2 · num_ops each.
  EXPECT_GT(priority(0), priority(last));
  decisions.priority_of_group[GroupOf(problem, OpId(0))] = 0;
  EXPECT_LT(priority(0), priority(last));
}

TEST(DecisionsTest, OtherLevelsKeepTheOrder) {
  for (const NamedProblem& named : ConformanceProblems(kScheduling)) {
    SCOPED_TRACE(named.name);
    const env::Problem& problem = *named.problem;
    const Decisions few = OnLevels(problem, ToDecisions(problem, PlanWithRanks(problem)), 3);

    EXPECT_THAT(few.priority_of_group, ::testing::Each(1));
    EXPECT_TRUE(
        std::ranges::is_sorted(ToPlan(problem, few).op_priority, std::ranges::greater_equal{}));
  }
}

TEST(DecisionsTest, APlanWithoutPrioritiesHasEqualOnes) {
  const NamedProblem named = ConformanceProblems(kAll).back();
  const Decisions decisions = ToDecisions(*named.problem, env::DefaultPlan(*named.problem));

  EXPECT_THAT(decisions.priority_of_group, ::testing::Each(0));
  EXPECT_EQ(decisions.priority_of_group.size(), NumGroups(*named.problem));
}

TEST(LevelsTest, LevelsStayAsTheyAre) {
  EXPECT_THAT(ToLevels({3, 0, 19, 3}, 20), ::testing::ElementsAre(3, 0, 19, 3));
}

TEST(LevelsTest, FewPrioritiesBecomeTheirRanks) {
  EXPECT_THAT(ToLevels({-5, 1000, 7, -5}, 20), ::testing::ElementsAre(0, 2, 1, 0));
}

TEST(LevelsTest, ManyPrioritiesShareLevels) {
  // Ranks 0 to 5 of 6 distinct values on 3 levels: rank · 3 / 6 rounded down.
  EXPECT_THAT(ToLevels({10, 11, 12, 13, 14, 15}, 3), ::testing::ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(LevelsTest, OfNoPrioritiesThereAreNone) {
  EXPECT_THAT(ToLevels({}, 20), ::testing::IsEmpty());
}

}  // namespace
}  // namespace opyard::agents
