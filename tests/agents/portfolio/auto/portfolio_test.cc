#include "agents/portfolio/auto/portfolio.h"

#include <vector>

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

EvaluatedPlan Worth(double value) {
  return {.plan = {}, .fitness = {.is_infeasible = false, .value = value}};
}

PortfolioMember MemberAt(double value) {
  PortfolioMember member;
  member.own = Worth(value);
  return member;
}

// From 100 to 90 in a fifth of the budget: half of itself in all of it, a tenth in another fifth.
TEST(PortfolioTest, ASliceSaysWhatAnotherWouldBring) {
  PortfolioMember member = MemberAt(100.0);
  AddSlice(member, 0.2, Worth(90.0));

  EXPECT_DOUBLE_EQ(member.gain_per_share, 0.5);
  EXPECT_DOUBLE_EQ(member.own->fitness.value, 90.0);
  EXPECT_DOUBLE_EQ(ExpectedFitness(member, 0.2).value, 81.0);
}

TEST(PortfolioTest, AWorsePlanIsNoGain) {
  PortfolioMember member = MemberAt(100.0);
  AddSlice(member, 0.1, Worth(110.0));

  EXPECT_DOUBLE_EQ(member.gain_per_share, 0.0);
  EXPECT_DOUBLE_EQ(member.own->fitness.value, 100.0);
}

// The first is behind but gains; of the two others, which are alike, the second has used less.
TEST(PortfolioTest, TheOneThatPromisesTheBestPlanGoesOn) {
  std::vector<PortfolioMember> members;
  members.push_back(MemberAt(100.0));
  AddSlice(members[0], 0.1, Worth(96.0));  // 0.4 of itself in all, 0.04 in a tenth: 92.16
  members.push_back(MemberAt(93.0));
  members[1].used_share = 0.3;
  members.push_back(MemberAt(93.0));
  members[2].used_share = 0.2;

  EXPECT_EQ(MostPromising(members, 0.1), &members[0]);
  members[0].is_spent = true;
  EXPECT_EQ(MostPromising(members, 0.1), &members[2]);
}

TEST(PortfolioTest, NoneIsLeft) {
  std::vector<PortfolioMember> members;
  members.push_back(MemberAt(1.0));
  members[0].is_spent = true;

  EXPECT_EQ(MostPromising(members, 0.1), nullptr);
}

}  // namespace
}  // namespace opyard::agents
