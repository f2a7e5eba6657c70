#include "env/environments/vector_env.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/environments/groupwise_env.h"
#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::TimedOp;
using ::testing::Each;
using ::testing::ElementsAre;

// The chain of three ops and a single op, each on two devices: episodes of three steps, and of one.
GroupwiseEnv TwoGraphs(RewardKind reward = RewardKind::kShaped) {
  return GroupwiseEnv(
      std::make_shared<const Stages>(EnvironmentOptions{
          .graphs = {ChainGraph(), MakeGraph({TimedOp("only", 7)})},
          .machines = {std::make_shared<const sim::HardwareProfile>(MeshMachine(2))},
          .reward = reward}),
      {});
}

std::vector<std::optional<std::uint64_t>> SeedsFrom(std::uint64_t first, std::size_t count) {
  std::vector<std::optional<std::uint64_t>> seeds;
  for (std::size_t i = 0; i < count; ++i) {
    seeds.emplace_back(first + i);
  }
  return seeds;
}

// All that a vector of seven lanes gives in forty steps of random actions.
std::vector<double> History(std::size_t num_threads, Autoreset autoreset) {
  VectorEnv env(TwoGraphs(), {.num_lanes = 7, .num_threads = num_threads, .autoreset = autoreset});
  env.Reset(SeedsFrom(5, 7), {}, {});
  Rng rng(1);
  std::vector<double> history;
  for (int step = 0; step < 40; ++step) {
    std::vector<std::int32_t> actions(7);
    for (std::int32_t& action : actions) {
      action = static_cast<std::int32_t>(rng.Below(2));
    }
    env.Step(actions);
    history.insert(history.end(), env.rewards().begin(), env.rewards().end());
    history.insert(history.end(), env.terminated().begin(), env.terminated().end());
    const ObservationBatch& seen = env.observations();
    history.insert(history.end(), seen.step.plan.begin(), seen.step.plan.end());
    history.insert(history.end(), seen.padded.x.begin(), seen.padded.x.end());
    history.insert(history.end(), seen.step.progress.begin(), seen.step.progress.end());
  }
  return history;
}

TEST(VectorEnvTest, AnyNumberOfThreadsGivesTheSame) {
  for (const Autoreset autoreset : {Autoreset::kNextStep, Autoreset::kSameStep}) {
    EXPECT_EQ(History(1, autoreset), History(3, autoreset));
  }
}

TEST(VectorEnvTest, ALaneIsTheEnvironmentByItself) {
  VectorEnv vector(TwoGraphs(), {.num_lanes = 3, .autoreset = Autoreset::kSameStep});
  vector.Reset(SeedsFrom(0, 3), {}, {});
  GroupwiseEnv alone = TwoGraphs();
  StageWorkspaces workspaces;
  alone.Reset(2, {}, workspaces);
  for (int step = 0; step < 12; ++step) {
    const std::int32_t action = step % 2;
    vector.Step(std::vector<std::int32_t>{0, 0, action});
    const StepResult expected = alone.Step(std::vector<std::int32_t>{action}, workspaces);
    EXPECT_EQ(vector.rewards()[2], expected.reward);
    EXPECT_EQ(vector.infos()[2].makespan, expected.info.makespan);
    EXPECT_EQ(vector.terminated()[2] != 0, alone.state().is_over);
    if (alone.state().is_over) {
      alone.Reset(std::nullopt, {}, workspaces);
    }
    EXPECT_EQ(vector.lane(2).state().choices, alone.state().choices);
  }
}

TEST(VectorEnvTest, UnderSameStepTheLastObservationIsKeptApart) {
  VectorEnv env(TwoGraphs(), {.num_lanes = 1, .autoreset = Autoreset::kSameStep});
  env.Reset(SeedsFrom(0, 1), {.choice = {.graph = 0, .machine = {}}}, {});
  for (int step = 0; step < 3; ++step) {
    env.Step(std::vector<std::int32_t>{1});
  }
  EXPECT_THAT(env.terminated(), ElementsAre(1));
  EXPECT_THAT(env.final_observations().step.plan, ElementsAre(1, 1, 1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(env.final_observations().step.current, Each(0));
  EXPECT_THAT(env.observations().step.plan, Each(-1));
}

TEST(VectorEnvTest, UnderNextStepTheActionAfterTheEndIsIgnored) {
  VectorEnv env(TwoGraphs(), {.num_lanes = 1, .autoreset = Autoreset::kNextStep});
  env.Reset(SeedsFrom(0, 1), {.choice = {.graph = 1, .machine = {}}}, {});
  env.Step(std::vector<std::int32_t>{1});
  EXPECT_THAT(env.terminated(), ElementsAre(1));
  EXPECT_EQ(env.observations().step.plan[0], 1);
  env.Step(std::vector<std::int32_t>{77});
  EXPECT_THAT(env.terminated(), ElementsAre(0));
  EXPECT_THAT(env.rewards(), ElementsAre(0.0));
  EXPECT_THAT(env.observations().step.plan, Each(-1));
}

TEST(VectorEnvTest, WithoutAutoresetOnlyThoseOfTheMaskBeginAnew) {
  VectorEnv env(TwoGraphs(), {.num_lanes = 2, .autoreset = Autoreset::kDisabled});
  env.Reset(SeedsFrom(0, 2), {.choice = {.graph = 1, .machine = {}}}, {});
  env.Step(std::vector<std::int32_t>{1, 1});
  EXPECT_THROW(env.Step(std::vector<std::int32_t>{1, 1}), InputError);
  env.Reset({}, {.choice = {.graph = 0, .machine = {}}}, std::vector<std::uint8_t>{0, 1});
  EXPECT_THAT(env.terminated(), ElementsAre(1, 0));
  EXPECT_THAT(env.stages(), ElementsAre(1, 0));
}

TEST(VectorEnvTest, EpisodesAreTruncatedAfterSoManySteps) {
  VectorEnv env(TwoGraphs(),
                {.num_lanes = 1, .autoreset = Autoreset::kSameStep, .max_episode_steps = 2});
  env.Reset(SeedsFrom(0, 1), {.choice = {.graph = 0, .machine = {}}}, {});
  env.Step(std::vector<std::int32_t>{1});
  EXPECT_THAT(env.truncated(), ElementsAre(0));
  env.Step(std::vector<std::int32_t>{1});
  EXPECT_THAT(env.truncated(), ElementsAre(1));
  EXPECT_THAT(env.terminated(), ElementsAre(0));
  EXPECT_THAT(env.observations().step.plan, Each(-1));
}

TEST(VectorEnvTest, ActionsOfAnotherSizeAreRefusedBeforeAnyLaneSteps) {
  VectorEnv env(TwoGraphs(), {.num_lanes = 2});
  env.Reset(SeedsFrom(0, 2), {}, {});
  EXPECT_THROW(env.Step(std::vector<std::int32_t>{1}), InputError);
  EXPECT_EQ(env.lane(0).state().num_steps, 0);
}

TEST(VectorEnvTest, AStepBeforeTheFirstResetIsRefused) {
  VectorEnv env(TwoGraphs(), {.num_lanes = 2});
  EXPECT_THROW(env.Step(std::vector<std::int32_t>{1, 1}), InputError);
}

}  // namespace
}  // namespace opyard::env
