#include "agents/learned/go/problem_memories.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::go {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::UnevenOp;

const EntropyBonus kBonus;

// A plan of one task and two rows.
RowPlan Plan(std::int64_t first, std::int64_t second, double reward) {
  return {.actions = torch::tensor({{first, second}}, torch::kLong), .reward = reward};
}

TEST(ProblemMemoriesTest, EachProblemHasItsOwnAndACheckpointHasThemAll) {
  ProblemMemories memories(kBonus);
  memories.Of("a").plans = {Plan(0, 1, -1.5), RowPlan(), Plan(1, 1, -1.0)};
  memories.Of("b").plans = {Plan(1, 0, -3.0)};
  memories.Of("b").entropy.Move(1, Task::kFusion, 0.0, 1.0);
  EXPECT_TRUE(memories.Of("never sampled").plans.empty());
  Checkpoint checkpoint;
  checkpoint.record["note"] = "stays";
  memories.AddTo(checkpoint);

  ProblemMemories other(kBonus);
  other.TakeFrom(checkpoint, "state");
  const std::vector<RowPlan>& plans = other.Of("a").plans;
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_TRUE(torch::equal(plans[0].actions, Plan(0, 1, 0.0).actions));
  EXPECT_EQ(plans[0].reward, -1.5);
  EXPECT_FALSE(plans[1].actions.defined());
  EXPECT_FALSE(plans[1].is_feasible());
  EXPECT_TRUE(torch::equal(plans[2].actions, Plan(1, 1, 0.0).actions));
  EXPECT_EQ(other.Of("b").plans.front().reward, -3.0);
  EXPECT_EQ(other.Of("b").entropy.WeightOf(1, Task::kFusion),
            memories.Of("b").entropy.WeightOf(1, Task::kFusion));
  EXPECT_EQ(other.Of("b").entropy.WeightOf(0, Task::kFusion), kBonus.weight);
  EXPECT_TRUE(checkpoint.tensors.empty());
  EXPECT_EQ(checkpoint.record.size(), 1U);
}

TEST(ProblemMemoriesTest, AStateWithoutThemOrWithDamagedOnesIsRefused) {
  const auto message_for = [](Checkpoint checkpoint) -> std::string {
    try {
      ProblemMemories(kBonus).TakeFrom(checkpoint, "state");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Checkpoint saved;
  ProblemMemories memories(kBonus);
  memories.Of("a").plans = {Plan(0, 1, -1.5)};
  memories.Of("b").plans = {Plan(1, 0, -3.0), Plan(1, 1, -2.0)};
  memories.AddTo(saved);
  EXPECT_EQ(message_for(saved), "");
  Checkpoint damaged = saved;
  damaged.tensors["memories.rewards.0"] = torch::zeros({1}, torch::kLong);
  damaged.tensors.erase("memories.plan.1.1");
  EXPECT_THAT(message_for({}), HasSubstr("state: tensor memories.problems: missing"));
  EXPECT_THAT(message_for(damaged),
              AllOf(HasSubstr("state: tensor memories.rewards.0: missing"),
                    HasSubstr("state: tensor memories.rewards.1: missing")));
}

// Two groups, two devices, one resolution.
TEST(ProblemMemoriesTest, PlansOfAnotherProblemAreRecognised) {
  const auto problem = MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {3, 7}), UnevenOp("b", {11, 5}, {{0, 0}})}),
      opyard::testing::MeshMachine(2));
  const View view = MakeView(*problem, {}, {});
  const auto fits = [&](const torch::Tensor& actions) {
    return Fits({{.actions = actions, .reward = -1.0}}, view);
  };
  EXPECT_TRUE(Fits({}, view));
  EXPECT_TRUE(Fits({RowPlan()}, view));
  EXPECT_TRUE(fits(Plan(0, 1, 0.0).actions));
  EXPECT_FALSE(fits(Plan(0, 2, 0.0).actions));
  EXPECT_FALSE(fits(Plan(-1, 0, 0.0).actions));
  EXPECT_FALSE(fits(Plan(0, 1, 0.0).actions.t()));
  EXPECT_FALSE(fits(torch::zeros({1, 3}, torch::kLong)));
  EXPECT_FALSE(Fits({Plan(0, 1, 0.0), Plan(0, 1, 0.0)}, view));
}

}  // namespace
}  // namespace opyard::agents::go
