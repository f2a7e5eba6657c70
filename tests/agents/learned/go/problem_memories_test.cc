#include "agents/learned/go/problem_memories.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::UnevenOp;

const GoOptions kTwoElites{.elites = 2};

// Plans of one task and two groups: [K, 1, 2].
torch::Tensor Plans(const std::vector<std::int64_t>& actions) {
  return torch::tensor(actions, torch::kLong).view({-1, 1, 2});
}

TEST(ProblemMemoriesTest, EachProblemHasItsOwnAndACheckpointHasThemAll) {
  ProblemMemories memories(kTwoElites);
  memories.Of("a").elites.Add(Plans({0, 1, 1, 1}), {-1.5, -1.0});
  memories.Of("b").elites.Add(Plans({1, 0}), {-3.0});
  memories.Of("b").entropy.Move(1, GoTask::kFusion, 0.0, 1.0);
  EXPECT_TRUE(memories.Of("never drawn").elites.empty());
  Checkpoint checkpoint;
  checkpoint.record["note"] = "stays";
  memories.AddTo(checkpoint);

  ProblemMemories other(kTwoElites);
  other.TakeFrom(checkpoint, "state");
  EXPECT_TRUE(torch::equal(other.Of("a").elites.plans(), Plans({1, 1, 0, 1})));
  EXPECT_EQ(other.Of("a").elites.rewards(), (std::vector<double>{-1.0, -1.5}));
  EXPECT_TRUE(torch::equal(other.Of("b").elites.plans(), Plans({1, 0})));
  EXPECT_EQ(other.Of("b").entropy.WeightOf(1, GoTask::kFusion),
            memories.Of("b").entropy.WeightOf(1, GoTask::kFusion));
  EXPECT_EQ(other.Of("b").entropy.WeightOf(0, GoTask::kFusion), kTwoElites.entropy.weight);
  EXPECT_EQ(other.Of("a").tables, nullptr);
  EXPECT_TRUE(checkpoint.tensors.empty());
  EXPECT_EQ(checkpoint.record.size(), 1U);
}

TEST(ProblemMemoriesTest, AStateWithoutThemOrWithDamagedOnesIsRefused) {
  const auto message_for = [](Checkpoint checkpoint) -> std::string {
    try {
      ProblemMemories(kTwoElites).TakeFrom(checkpoint, "state");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Checkpoint saved;
  ProblemMemories memories(kTwoElites);
  memories.Of("a").elites.Add(Plans({0, 1}), {-1.5});
  memories.Of("b").elites.Add(Plans({1, 0}), {-3.0});
  memories.AddTo(saved);
  EXPECT_EQ(message_for(saved), "");
  Checkpoint damaged = saved;
  damaged.tensors["elites.rewards.0"] = torch::zeros({3}, torch::kDouble);
  damaged.tensors.erase("elites.plans.1");
  EXPECT_THAT(message_for({}), HasSubstr("state: tensor elites.problems: missing"));
  EXPECT_THAT(message_for(damaged),
              AllOf(HasSubstr("state: tensor elites.plans.0: missing"),
                    HasSubstr("state: tensor elites.plans.1: missing")));
}

// Two groups, two devices.
TEST(ProblemMemoriesTest, PlansOfAnotherProblemAreTold) {
  const auto problem = MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {3, 7}), UnevenOp("b", {11, 5}, {{0, 0}})}),
      opyard::testing::MeshMachine(2));
  const GoView view = MakeGoView(*problem, {}, {});
  const auto fits = [&](const torch::Tensor& plans) {
    Elites elites(1);
    elites.Add(plans, {-1.0});
    return Fits(elites, view, 20);
  };
  EXPECT_TRUE(Fits(Elites(1), view, 20));
  EXPECT_TRUE(fits(Plans({0, 1})));
  EXPECT_FALSE(fits(Plans({0, 2})));
  EXPECT_FALSE(fits(Plans({-1, 0})));
  EXPECT_FALSE(fits(Plans({0, 1}).view({1, 2, 1})));
  EXPECT_FALSE(fits(torch::zeros({1, 1, 3}, torch::kLong)));
}

}  // namespace
}  // namespace opyard::agents
