#include "agents/planning/estimates/overtakings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/evaluator.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;
using ::testing::IsEmpty;

std::vector<Overtaking> OvertakingsOf(const std::shared_ptr<const env::Problem>& problem,
                                      const sim::Plan& plan) {
  env::Evaluator evaluator(problem, {});
  return CriticalOvertakings(FindCriticalStep(*problem, plan, *evaluator.EvaluateDetailed(plan)));
}

// Times in microseconds: d0 runs a 0–2, b 2–7 and c 7–10; c could run from the beginning.
TEST(OvertakingsTest, NamesAllThatACriticalOpWaitsBehind) {
  const auto problem = testing::MakeProblem(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 3)}), MeshMachine(2));
  const auto found = OvertakingsOf(problem, PlacedOn({0, 0, 0}));
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].op, OpId(2));
  EXPECT_EQ(found[0].ahead, OpId(0));
  EXPECT_DOUBLE_EQ(found[0].seconds, 2e-6);
  EXPECT_EQ(found[1].ahead, OpId(1));
  EXPECT_DOUBLE_EQ(found[1].seconds, 5e-6);
}

TEST(OvertakingsTest, AChainHasNone) {
  const auto problem =
      testing::MakeProblem(MakeGraph({TimedOp("a", 2), TimedOp("b", 5, {{0, 0}})}), MeshMachine(2));
  EXPECT_THAT(OvertakingsOf(problem, PlacedOn({0, 0})), IsEmpty());
}

}  // namespace
}  // namespace opyard::agents
