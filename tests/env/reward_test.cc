#include "env/reward.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "env/baseline_plans.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::Microseconds;
using ::opyard::testing::PlacedOn;

Evaluation Completed(double score) {
  return {.result = {}, .score = score};
}

TEST(RewardTest, IsMinusTheRootOfTheRatio) {
  // −sqrt(9 / 4) = −1.5
  EXPECT_DOUBLE_EQ(Reward(RewardKind::kSqrt, Completed(9.0), 4.0), -1.5);
}

TEST(RewardTest, LinearIsMinusTheRatio) {
  EXPECT_DOUBLE_EQ(Reward(RewardKind::kLinear, Completed(9.0), 4.0), -2.25);
}

TEST(RewardTest, LogIsMinusTheLogarithmOfOnePlusTheRatio) {
  // −log(1 + 3/1) = −log 4
  EXPECT_DOUBLE_EQ(Reward(RewardKind::kLog, Completed(3.0), 1.0), -std::log(4.0));
}

TEST(RewardTest, RunningOutOfMemoryCostsTen) {
  const Evaluation failed{.result = {.outcome = sim::Outcome::kOutOfMemory},
                          .score = std::numeric_limits<double>::infinity()};

  EXPECT_EQ(Reward(RewardKind::kSqrt, failed, 4.0), -10.0);
}

TEST(RewardTest, ARatioToNothingIsRefused) {
  EXPECT_THROW((void)Reward(RewardKind::kSqrt, Completed(1.0), 0.0), InternalError);
}

TEST(RewardTest, KindsHaveNames) {
  EXPECT_EQ(RewardKindOf("sqrt"), RewardKind::kSqrt);
  EXPECT_EQ(RewardKindOf("linear"), RewardKind::kLinear);
  EXPECT_EQ(RewardKindOf("log"), RewardKind::kLog);
  EXPECT_THROW((void)RewardKindOf("Sqrt"), InputError);
}

TEST(ReferenceTest, IsTheBestFeasibleCandidate) {
  // 12, 11 and 12 us (small_problems.h)
  const std::vector plans = {PlacedOn({0, 1, 0}), PlacedOn({0, 0, 1}), PlacedOn({1, 0, 1})};

  EXPECT_EQ(ReferenceMakespan(*ChainProblem(), plans), Microseconds(11));
}

TEST(ReferenceTest, WithoutAFeasibleCandidateItIsTheProblemBound) {
  const auto problem = HungryProblem(2'000'000);

  // The work of 2 + 3 us shared by two devices is 2.5 us; the longest op takes 3 us.
  EXPECT_EQ(ReferenceMakespan(*problem, BaselinePlans(*problem)), Microseconds(3));
}

TEST(ReferenceTest, FollowsTheObjective) {
  const auto problem = ChainProblem({.objective = {.kind = ObjectiveKind::kPeakMemory}});
  const Reference reference = FindReference(*problem, std::vector{PlacedOn({0, 0, 0})});

  // b holds a's 1000 bytes and its own 1000 while it runs; a's are freed before c starts.
  EXPECT_EQ(reference.makespan, Microseconds(10));
  EXPECT_DOUBLE_EQ(reference.score, 2000.0);
}

// ChainProblem: everything on one device takes 10 us, the split more.
TEST(ReferenceTest, OfAProblemWithoutOneIsTheBestOfTheRules) {
  EXPECT_EQ(FindReference(*ChainProblem()).makespan, Microseconds(10));
}

TEST(ReferenceTest, OfAProblemThatHasOneIsThat) {
  const Problem problem(*ChainProblem(), {.makespan = Microseconds(7), .score = 3.0});

  EXPECT_EQ(FindReference(problem).makespan, Microseconds(7));
  EXPECT_DOUBLE_EQ(FindReference(problem).score, 3.0);
}

TEST(ReferenceTest, OfAProblemWithAReferenceOfNothingIsOneUnit) {
  const Problem problem(*ChainProblem(), {.makespan = SimTime{0}, .score = 0.0});

  EXPECT_EQ(FindReference(problem).makespan, SimTime{1});
  EXPECT_DOUBLE_EQ(FindReference(problem).score, 1e-12);  // 1 ps in seconds
}

TEST(ReferenceTest, IsNeverZero) {
  const auto problem =
      MakeProblem(opyard::testing::MakeGraph({opyard::testing::TimedOp("view", 0)}),
                  opyard::testing::MeshMachine(1));
  const Reference reference = FindReference(*problem, BaselinePlans(*problem));

  EXPECT_EQ(reference.makespan, SimTime{1});
  EXPECT_GT(reference.score, 0.0);
}

}  // namespace
}  // namespace opyard::env
