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

// The first gained 0.4 of itself in all, the second 0.2.
TEST(PortfolioTest, TheOneWhoseLastSliceGainedMostGoesOn) {
  std::vector<PortfolioMember> members;
  members.push_back(MemberAt(100.0));
  AddSlice(members[0], 0.1, Worth(96.0));
  members.push_back(MemberAt(90.0));
  AddSlice(members[1], 0.05, Worth(89.1));

  EXPECT_EQ(MostPromising(members), &members[0]);
  AddSlice(members[0], 0.1, Worth(96.0));
  EXPECT_EQ(MostPromising(members), &members[1]);
}

TEST(PortfolioTest, OfThoseThatGainNothingTheOneThatUsedLeastGoesOn) {
  std::vector<PortfolioMember> members;
  members.push_back(MemberAt(93.0));
  members[0].used_share = 0.3;
  members.push_back(MemberAt(93.0));
  members[1].used_share = 0.2;

  EXPECT_EQ(MostPromising(members), &members[1]);
  members[1].is_spent = true;
  EXPECT_EQ(MostPromising(members), &members[0]);
}

TEST(PortfolioTest, NoneIsLeft) {
  std::vector<PortfolioMember> members;
  members.push_back(MemberAt(1.0));
  members[0].is_spent = true;

  EXPECT_EQ(MostPromising(members), nullptr);
}

}  // namespace
}  // namespace opyard::agents
