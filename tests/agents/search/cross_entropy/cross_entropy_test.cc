#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::Outcome;
using testing::RunAgent;

std::shared_ptr<const env::Problem> EightOps(env::TaskSet tasks = testing::kPlacement) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i));
  }
  return testing::MakeProblem(MakeGraph(ops), MeshMachine(3), tasks);
}

TEST(CrossEntropyTest, FindsTheBestPlacementFromUniformDistributions) {
  Options options;
  options.Set("start", std::string("random"));
  const Outcome outcome =
      RunAgent("cross_entropy", EightOps(), {.evaluations = 2000, .options = options});
  EXPECT_EQ(outcome.best->evaluation.result.makespan,
            testing::BestMakespanByBruteForce(EightOps()));
}

TEST(CrossEntropyTest, BeginsAgainWhereNothingNewComes) {
  // Without a uniform share and with the longest steps, one plan is all that is sampled soon; the
  // budget is spent all the same, and the best plan found.
  Options options;
  options.Set("uniform", 0.0);
  options.Set("step", 1.0);
  const Outcome outcome =
      RunAgent("cross_entropy", EightOps(), {.evaluations = 3000, .options = options});
  EXPECT_EQ(outcome.num_evaluations, 3000);
  EXPECT_EQ(outcome.best->evaluation.result.makespan,
            testing::BestMakespanByBruteForce(EightOps()));
}

TEST(CrossEntropyTest, PlansDoNotDependOnThreads) {
  const Outcome one = RunAgent("cross_entropy", EightOps(testing::kAll), {.evaluations = 300});
  const Outcome two =
      RunAgent("cross_entropy", EightOps(testing::kAll), {.evaluations = 300, .num_threads = 2});
  EXPECT_EQ(one.best->plan, two.best->plan);
}

}  // namespace
}  // namespace opyard::agents
