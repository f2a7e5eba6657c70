#include "agents/learned/go/row_search.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "env/reward.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::go {
namespace {

using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::BestMakespanByBruteForce;
using testing::MakeProblem;
using testing::UnevenOp;

// Eight ops of 10 us that share nothing: four on each device are best, and each step there is
// better than the one before.
std::shared_ptr<const env::Problem> EightOps() {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 10));
  }
  return MakeProblem(opyard::testing::MakeGraph(ops), MeshMachine(2));
}

RowPlan Evaluated(const View& view, const torch::Tensor& actions, env::Evaluator& evaluator) {
  return EvaluateRows(view, view.resolutions.size() - 1, actions, evaluator).value();
}

TEST(RowSearchTest, ItFindsTheOptimumOfAFewRows) {
  const auto problem = EightOps();
  const View view = MakeView(*problem, {.first = 0}, {});
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 400}});
  Rng rng(1);
  const RowPlan start = Evaluated(view, torch::zeros({1, 8}, torch::kLong), evaluator);
  const RowPlan found = SearchRows(view, 0, start, evaluator, rng);
  EXPECT_EQ(evaluator.num_evaluations(), 400);
  EXPECT_EQ(evaluator.best()->evaluation.result.makespan, BestMakespanByBruteForce(problem));
  EXPECT_GT(found.reward, start.reward);
  EXPECT_EQ(found.actions[0][0].item<std::int64_t>(), 0);  // equal devices by first use
}

TEST(RowSearchTest, WithoutAStartOrABudgetThereIsNothingNew) {
  const auto problem = EightOps();
  const View view = MakeView(*problem, {.first = 0}, {});
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 1}});
  Rng rng(1);
  EXPECT_FALSE(SearchRows(view, 0, RowPlan(), evaluator, rng).actions.defined());
  const RowPlan start = Evaluated(view, torch::zeros({1, 8}, torch::kLong), evaluator);
  EXPECT_EQ(SearchRows(view, 0, start, evaluator, rng).reward, start.reward);
  EXPECT_EQ(EvaluateRows(view, 0, start.actions, evaluator), std::nullopt);
}

// By majority both rows of the first resolution are on one device.
TEST(RowSearchTest, EachResolutionHasAPlanAtLeastAsGoodAsThePlanItBeganWith) {
  const auto problem = EightOps();
  const View view = MakeView(*problem, {.first = 2}, {});
  ASSERT_GT(view.resolutions.size(), 1U);
  env::Evaluator evaluator(problem, {});
  Rng rng(1);
  const torch::Tensor plan = torch::tensor({{0, 0, 0, 1, 0, 0, 0, 1}}, torch::kLong);  // [T, G]
  const std::vector<RowPlan> plans = PlansOfResolutions(view, plan, 100, evaluator, rng);
  ASSERT_EQ(plans.size(), view.resolutions.size());
  for (std::size_t resolution = 0; resolution < plans.size(); ++resolution) {
    const torch::Tensor brought = ActionsOfRows(view, resolution, plan.unsqueeze(0))[0];
    EXPECT_TRUE(plans[resolution].is_feasible());
    EXPECT_GE(plans[resolution].reward, EvaluateRows(view, resolution, brought, evaluator)->reward);
  }
  EXPECT_EQ(evaluator.best()->evaluation.result.makespan, BestMakespanByBruteForce(problem));
}

// Two ops that exchange a tensor, on three devices, of which d1 and d2 are near each other.
std::shared_ptr<const env::Problem> TwoOps(SimTime latency_of_d0) {
  sim::HardwareProfile machine = MeshMachine(3);
  for (sim::Link& link : machine.links) {
    const bool is_of_d0 = link.name.find("d0") != std::string::npos;
    link.latency = is_of_d0 ? latency_of_d0 : link.latency;
  }
  return MakeProblem(opyard::testing::MakeGraph({TimedOp("a", 10), TimedOp("b", 10, {{0, 0}})}),
                     machine);
}

RowPlan OnD1AndD2(const View& view, env::Evaluator& evaluator) {
  return Evaluated(view, torch::tensor({{1, 2}}, torch::kLong), evaluator);
}

TEST(RowSearchTest, APlanThatTakesAsLongWithTheLeastNamesHasThem) {
  const auto problem = TwoOps(opyard::testing::Microseconds(0));
  const View view = MakeView(*problem, {.first = 0}, {});
  env::Evaluator evaluator(problem, {});
  const RowPlan named = SimplyNamed(view, 0, OnD1AndD2(view, evaluator), evaluator);
  EXPECT_TRUE(torch::equal(named.actions, torch::tensor({{0, 1}}, torch::kLong)));
}

TEST(RowSearchTest, APlanThatWouldTakeLongerKeepsItsNames) {
  const auto problem = TwoOps(opyard::testing::Microseconds(100));
  const View view = MakeView(*problem, {.first = 0}, {});
  env::Evaluator evaluator(problem, {});
  const RowPlan plan = OnD1AndD2(view, evaluator);
  const RowPlan named = SimplyNamed(view, 0, plan, evaluator);
  EXPECT_TRUE(torch::equal(named.actions, plan.actions));
  EXPECT_EQ(named.reward, plan.reward);
}

// Neither plan fits; less is too much of the second, and neither counts as one.
TEST(RowSearchTest, PlansThatFailAreRankedByHowMuchTheyAskFor) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 4; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 10, {}, {1000}));
    ops.back().param_bytes = Bytes{450'000};
  }
  const auto problem = MakeProblem(opyard::testing::MakeGraph(ops), MeshMachine(2));  // of 1 MB
  const View view = MakeView(*problem, {.first = 0}, {});
  env::Evaluator evaluator(problem, {});
  const auto of = [&](std::vector<std::int64_t> devices) {
    return Evaluated(view, torch::tensor(devices, torch::kLong).view({1, 4}), evaluator);
  };
  const RowPlan all = of({0, 0, 0, 0});
  const RowPlan three = of({0, 0, 0, 1});
  EXPECT_FALSE(all.is_feasible());
  EXPECT_FALSE(three.is_feasible());
  EXPECT_LT(all.reward, three.reward);
  EXPECT_LT(three.reward, env::kFailureReward);
  EXPECT_TRUE(of({0, 0, 1, 1}).is_feasible());
}

}  // namespace
}  // namespace opyard::agents::go
