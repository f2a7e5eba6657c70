#include "agents/classical/random/random.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;

TEST(RandomTest, UsesTheWholeBudgetWhereThereIsAChoice) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2), TimedOp("b", 3)}), MeshMachine(3));
  EXPECT_EQ(testing::RunAgent("random", problem, {.evaluations = 100}).num_evaluations, 100);
}

// Four ops on two GPUs and a CPU, which only one of the four needs.
TEST(RandomTest, OverAcceleratorsItSamplesTheHostOnlyWhereNothingElseIsAllowed) {
  std::vector<sim::OpSpec> ops;
  for (int i = 0; i < 4; ++i) {
    ops.push_back(testing::UnevenOp("op" + std::to_string(i), {2, 2, 2}));
  }
  ops[3].device_kinds = sim::DeviceKindSet::None();
  ops[3].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(std::move(ops)), testing::MeshWithCpu(2));
  const auto num_on_host = [&](const Options& options) {
    std::int64_t count = 0;
    env::Evaluator evaluator(
        problem,
        {.budget = {.evaluations = 50}, .on_evaluation = [&](const sim::Plan& plan, const auto&) {
           count += std::ranges::count(plan.placement, DeviceId(2));
         }});
    Rng rng(1);
    testing::AgentsUnderTest().Make("random", options)->Search(*problem, evaluator, rng, {});
    return count;
  };
  EXPECT_EQ(num_on_host({}), 50);  // op3, in each plan
  // And a third of the others, 50 in the mean.
  EXPECT_GT(num_on_host(Options({{"devices", std::string("all")}})), 80);
}

TEST(RandomTest, OneDeviceIsOnePlan) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2)}), MeshMachine(1));
  EXPECT_EQ(testing::RunAgent("random", problem, {.evaluations = 100}).num_evaluations, 1);
}

}  // namespace
}  // namespace opyard::agents
