#include "agents/planning/local_search/critical_path_guide.h"

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;

class CriticalPathGuideTest : public ::testing::Test {
 protected:
  std::shared_ptr<const env::Problem> problem_ =
      testing::MakeProblem(MakeGraph({TimedOp("a", 2), TimedOp("b", 5)}), MeshMachine(2));
  env::Evaluator evaluator_{problem_, {}};
  Moves moves_{*problem_, {}};

  void MoveTimes(int count, const sim::Plan& plan, CriticalPathGuide& guide) {
    for (int i = 0; i < count; ++i) {
      guide.BeforeMove(plan, moves_);
    }
  }
};

TEST_F(CriticalPathGuideTest, TheFirstMoveIsGuidedAndThenEveryThirdIfThePlanIsAnother) {
  CriticalPathGuide guide(*problem_, evaluator_, 3);
  MoveTimes(3, PlacedOn({0, 0}), guide);
  EXPECT_EQ(evaluator_.num_evaluations(), 1);
  MoveTimes(1, PlacedOn({0, 1}), guide);
  EXPECT_EQ(evaluator_.num_evaluations(), 2);
  MoveTimes(3, PlacedOn({1, 1}), guide);
  EXPECT_EQ(evaluator_.num_evaluations(), 3);
}

TEST_F(CriticalPathGuideTest, ThePlanOfTheLastEvaluationIsNotEvaluatedAgain) {
  CriticalPathGuide guide(*problem_, evaluator_, 3);
  MoveTimes(20, PlacedOn({0, 0}), guide);
  EXPECT_EQ(evaluator_.num_evaluations(), 1);
}

TEST_F(CriticalPathGuideTest, WithoutAnIntervalNothingIsEvaluated) {
  CriticalPathGuide guide(*problem_, evaluator_, 0);
  MoveTimes(20, PlacedOn({0, 0}), guide);
  EXPECT_EQ(evaluator_.num_evaluations(), 0);
}

// b alone holds up the step, so that all moves by weight begin at it: more than the quarter that
// would move a alone otherwise.
TEST_F(CriticalPathGuideTest, MovesBeginOnTheCriticalPath) {
  CriticalPathGuide guide(*problem_, evaluator_, 3);
  const sim::Plan plan = PlacedOn({0, 1});
  guide.BeforeMove(plan, moves_);
  Rng rng(1);
  int num_of_a = 0;
  const Decisions state{.device_of_group = plan.placement};
  for (int i = 0; i < 400; ++i) {
    num_of_a += moves_.Neighbour(state, rng).device_of_group[0] != DeviceId(0) ? 1 : 0;
  }
  // Half of the half: 100; standard deviation 8.7; five of them.
  EXPECT_NEAR(num_of_a, 100, 44);
}

}  // namespace
}  // namespace opyard::agents
