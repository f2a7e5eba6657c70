#include "agents/planning/estimates/critical_seconds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double kUs = 1e-6;
constexpr double kRounding = 1e-15;

std::vector<double> CriticalSecondsOf(const std::shared_ptr<const env::Problem>& problem,
                                      const sim::Plan& plan) {
  env::Evaluator evaluator(problem, {});
  return CriticalSeconds(*problem,
                         FindCriticalStep(*problem, plan, *evaluator.EvaluateDetailed(plan)));
}

// On d0 a 0–2, b 2–7 after it; on d1 c 3–6, whose input, a's output, travels 2–3. The end is b's: b
// runs for 5 us after it waited 2 us behind a, or it took its turn after a.
TEST(CriticalSecondsTest, WhoWaitsAndWhoIsWaitedForShareTheWait) {
  const auto problem = testing::MakeProblem(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 3, {{0, 0}})}), MeshMachine(2));
  const std::vector<double> seconds = CriticalSecondsOf(problem, PlacedOn({0, 0, 1}));
  EXPECT_THAT(seconds,
              ElementsAre(DoubleNear(1 * kUs, kRounding), DoubleNear(6 * kUs, kRounding), 0.0));
}

// a 0–2 on d0, its output travels 2–3 to d1, where c runs 3–9: the transfer is a's.
TEST(CriticalSecondsTest, ATransferIsItsProducers) {
  const auto problem = testing::MakeProblem(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 6, {{0, 0}})}), MeshMachine(2));
  const std::vector<double> seconds = CriticalSecondsOf(problem, PlacedOn({0, 0, 1}));
  EXPECT_THAT(seconds,
              ElementsAre(DoubleNear(3 * kUs, kRounding), 0.0, DoubleNear(6 * kUs, kRounding)));
}

}  // namespace
}  // namespace opyard::agents
