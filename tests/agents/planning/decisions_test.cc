#include "agents/planning/decisions.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/random_decisions.h"
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

TEST(DecisionsTest, OfAGroupTheGreatestPriorityCounts) {
  for (const NamedProblem& named : ConformanceProblems(kScheduling)) {
    SCOPED_TRACE(named.name);
    const env::Problem& problem = *named.problem;
    sim::Plan plan = env::DefaultPlan(problem);
    std::vector<std::int64_t> priorities;
    for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
      priorities.push_back(static_cast<std::int64_t>(i) - 4);  // rises: the last op of a group
    }
    env::SetPriorities(plan, priorities);
    const Decisions decisions = ToDecisions(problem, plan);
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      EXPECT_GE(decisions.priority_of_group[GroupOf(problem, OpId(i))], priorities[i]);
    }
    EXPECT_EQ(std::ranges::max(decisions.priority_of_group), priorities.back());
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
