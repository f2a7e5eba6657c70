#include "env/environments/groupwise_env.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/environments/vector_env.h"
#include "env/evaluation.h"
#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "tests/env/small_problems.h"
#include "tests/support/random_cases.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::Microseconds;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using Action = std::vector<std::int32_t>;

std::shared_ptr<const Stages> StagesOf(RewardKind reward = RewardKind::kSqrt,
                                       TaskSet tasks = kPlacementOnly) {
  return std::make_shared<const Stages>(
      EnvironmentOptions{.graphs = {ChainGraph()},
                         .machines = {std::make_shared<const sim::HardwareProfile>(MeshMachine(2))},
                         .settings = {.tasks = tasks},
                         .reward = reward,
                         .num_levels = 4});
}

struct Played {
  std::vector<double> rewards;
  EpisodeInfo info;
};

Played Play(Environment& env, const std::vector<Action>& actions, const EpisodeStart& start = {}) {
  StageWorkspaces workspaces;
  env.Reset(0, start, workspaces);
  Played played;
  for (const Action& action : actions) {
    const StepResult step = env.Step(action, workspaces);
    played.rewards.push_back(step.reward);
    played.info = step.info;
  }
  return played;
}

StepBatch Observed(const Environment& env) {
  StepBatch batch(env.stages().room(), 1, MaskSizeOf(env));
  env.Write(batch.Row(0));
  return batch;
}

TEST(PlacementTest, AnEpisodeDecidesOneGroupAStepAndIsRewardedAtItsEnd) {
  GroupwiseEnv env(StagesOf(), {});
  const Played played = Play(env, {{0}, {1}, {0}});

  // b alone on d1 takes 12 us, one device 10 us (small_problems.h).
  EXPECT_THAT(played.rewards, ElementsAre(0.0, 0.0, -std::sqrt(1.2)));
  EXPECT_EQ(played.info.makespan, Microseconds(12));
  EXPECT_EQ(played.info.lower_bound, Microseconds(10));
  EXPECT_TRUE(env.state().is_over);
}

TEST(PlacementTest, ShapedRewardsAddUpToTheGainOverTheDefaultPlan) {
  GroupwiseEnv env(StagesOf(RewardKind::kShaped), {});
  const Played played = Play(env, {{1}, {1}, {0}});

  // Open groups are on d0. a on d1: 2 + 1 + 3 + 5 = 11 us; a and b: 2 + 3 + 1 + 5 = 11 us.
  EXPECT_NEAR(played.rewards[0], 1.0 - std::sqrt(1.1), 1e-12);
  EXPECT_NEAR(played.rewards[1], 0.0, 1e-12);
  EXPECT_NEAR(played.rewards[2], 0.0, 1e-12);
}

TEST(PlacementTest, ImprovementIsTheRatioBeforeLessThatAfter) {
  GroupwiseEnv env(StagesOf(RewardKind::kImprovement), {});
  const Played played = Play(env, {{0}, {1}, {1}});

  // 10, then 12 (b on d1), then 11 us (b and c).
  EXPECT_NEAR(played.rewards[0], 0.0, 1e-12);
  EXPECT_NEAR(played.rewards[1], -0.2, 1e-12);
  EXPECT_NEAR(played.rewards[2], 0.1, 1e-12);
}

TEST(PlacementTest, ObservesThePlanSoFar) {
  GroupwiseEnv env(StagesOf(), {});
  StageWorkspaces workspaces;
  env.Reset(0, {}, workspaces);
  EXPECT_THAT(Observed(env).plan, ElementsAre(-1, -1, -1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(Observed(env).current, ElementsAre(1, 0, 0));

  env.Step(Action{1}, workspaces);
  const StepBatch seen = Observed(env);
  EXPECT_THAT(seen.plan, ElementsAre(1, -1, -1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(seen.current, ElementsAre(0, 1, 0));
  // 2 us of T_ref, 10 us: q = 0.2, written as 0.2 / 1.2
  EXPECT_THAT(seen.device_load, ElementsAre(0.0F, FloatEq(0.2F / 1.2F)));
  EXPECT_THAT(seen.progress, ElementsAre(1.0F / 3.0F, 0.0F));
  EXPECT_THAT(seen.action_mask, ElementsAre(1, 1));
}

TEST(PlacementTest, DecidesAllTasksOfAGroupAtOnceOrOneAfterTheOther) {
  GroupwiseEnv jointly(StagesOf(RewardKind::kSqrt, kAllTasks), {});
  EXPECT_THAT(jointly.num_choices(), ElementsAre(2, 4, 4));
  EXPECT_EQ(jointly.episode_length(), 3);
  GroupwiseEnv in_turn(StagesOf(RewardKind::kSqrt, kAllTasks), {.turns = Turns::kInTurn});
  EXPECT_THAT(in_turn.num_choices(), ElementsAre(4));
  EXPECT_EQ(in_turn.episode_length(), 9);

  Play(jointly, {{0, 1, 0}, {1, 2, 0}, {0, 3, 0}});
  const Played played = Play(in_turn, {{0}, {1}, {0}, {1}, {2}, {3}, {0}, {0}, {0}});
  EXPECT_EQ(jointly.plan(), in_turn.plan());
  EXPECT_EQ(played.info.makespan, Microseconds(12));
  EXPECT_THAT(in_turn.plan().op_priority, ElementsAre(1, 2, 3));
}

TEST(PlacementTest, InTurnTheMaskIsThatOfTheTask) {
  GroupwiseEnv env(StagesOf(RewardKind::kSqrt, kBothTasks), {.turns = Turns::kInTurn});
  StageWorkspaces workspaces;
  env.Reset(0, {}, workspaces);
  EXPECT_THAT(Observed(env).action_mask, ElementsAre(1, 1, 0, 0));
  for (int step = 0; step < 3; ++step) {
    env.Step(Action{0}, workspaces);
  }
  EXPECT_THAT(Observed(env).action_mask, ElementsAre(1, 1, 1, 1));
}

TEST(PlacementTest, IllegalActionsEndTheEpisode) {
  for (const Action& action : {Action{2}, Action{-1}, Action{}, Action{0, 0}}) {
    GroupwiseEnv env(StagesOf(), {});
    const Played played = Play(env, {action});
    EXPECT_THAT(played.rewards, ElementsAre(kFailureReward));
    EXPECT_EQ(played.info.outcome, EpisodeOutcome::kIllegalAction);
    StageWorkspaces workspaces;
    EXPECT_THROW(env.Step(Action{0}, workspaces), InputError);
  }
}

// Two ops with parameters of 600,000 bytes each; devices hold 1,000,000.
std::shared_ptr<const Stages> StagesWithParams(std::int64_t bytes) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2), TimedOp("b", 3)};
  for (sim::OpSpec& op : ops) {
    op.param_bytes = Bytes{bytes};
  }
  return std::make_shared<const Stages>(EnvironmentOptions{
      .graphs = {MakeGraph(ops)},
      .machines = {std::make_shared<const sim::HardwareProfile>(MeshMachine(2))}});
}

TEST(PlacementTest, TheMaskOfMemoryForbidsFullDevicesUnlessAllAre) {
  StageWorkspaces workspaces;
  GroupwiseEnv env(StagesWithParams(600'000), {.masked = MaskedDevices::kFull});
  env.Reset(0, {}, workspaces);
  EXPECT_THAT(Observed(env).action_mask, ElementsAre(1, 1));
  env.Step(Action{1}, workspaces);
  EXPECT_THAT(Observed(env).action_mask, ElementsAre(1, 0));
  EXPECT_THAT(Observed(env).device_memory, ElementsAre(0.0F, FloatEq(0.6F / 1.6F)));

  GroupwiseEnv hopeless(StagesWithParams(2'000'000), {.masked = MaskedDevices::kFull});
  hopeless.Reset(0, {}, workspaces);
  EXPECT_THAT(Observed(hopeless).action_mask, ElementsAre(1, 1));
}

TEST(ImproveTest, EachStepChangesOneGroupOfAWholePlan) {
  GroupwiseEnv env(StagesOf(RewardKind::kImprovement), {.improves = true, .sweeps = 2});
  EXPECT_EQ(env.episode_length(), 6);
  const Played played = Play(env, {{0}, {1}, {1}, {0}, {0}, {0}});

  // 10, 12, 11 (b and c on d1), 11 (c alone), 10, 10 us: after the second visit b is back.
  std::vector<double> expected = {0.0, -0.2, 0.1, 0.0, 0.0, 0.1};
  ASSERT_EQ(played.rewards.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(played.rewards[i], expected[i], 1e-12) << i;
  }
  EXPECT_EQ(played.info.makespan, Microseconds(10));
}

TEST(ImproveTest, BeginsAtAGivenPlanOrAtTheDefaultOne) {
  GroupwiseEnv env(StagesOf(RewardKind::kImprovement), {.improves = true});
  const sim::Plan plan{.placement = {DeviceId(0), DeviceId(1), DeviceId(0)}};
  const Played played = Play(env, {{0}, {0}, {0}}, {.choice = {}, .plan = &plan});
  EXPECT_NEAR(played.rewards[1], 0.2, 1e-12);

  StageWorkspaces workspaces;
  env.Reset(0, {}, workspaces);
  EXPECT_EQ(env.state().info.makespan, Microseconds(10));
  EXPECT_THAT(Observed(env).plan, ElementsAre(0, 0, 0, -1, -1, -1, -1, -1, -1));
}

TEST(ImproveTest, APlanThatDoesNotFitIsRefused) {
  GroupwiseEnv env(StagesOf(), {.improves = true});
  StageWorkspaces workspaces;
  const sim::Plan plan{.placement = {DeviceId(0), DeviceId(7), DeviceId(0)}};
  EXPECT_THROW(env.Reset(0, {.choice = {}, .plan = &plan}, workspaces), PlanError);
}

TEST(GroupwiseEnvTest, AForkAndARestoredLaneGoOnAsTheOriginal) {
  StageWorkspaces workspaces;
  GroupwiseEnv env(StagesOf(RewardKind::kShaped), {});
  env.Reset(3, {}, workspaces);
  env.Step(Action{1}, workspaces);
  const std::unique_ptr<Environment> fork = env.Fork();
  GroupwiseEnv restored(StagesOf(RewardKind::kShaped), {});
  restored.Restore(env.state());
  for (const Action& action : {Action{0}, Action{1}}) {
    const StepResult expected = env.Step(action, workspaces);
    EXPECT_EQ(fork->Step(action, workspaces).reward, expected.reward);
    EXPECT_EQ(restored.Step(action, workspaces).reward, expected.reward);
    EXPECT_EQ(Observed(*fork).plan, Observed(env).plan);
    EXPECT_EQ(Observed(restored).device_load, Observed(env).device_load);
  }
}

// A random graph on a random machine, or nothing where its rules are not simulated together.
std::shared_ptr<const Stages> RandomStages(std::uint64_t seed, RewardKind reward) {
  const opyard::testing::RandomCase made = opyard::testing::MakeRandomCase(
      seed, opyard::testing::Values::kRound, {.most_ops = 12, .most_devices = 4});
  return std::make_shared<const Stages>(
      EnvironmentOptions{.graphs = {made.graph},
                         .machines = {std::make_shared<const sim::HardwareProfile>(made.hardware)},
                         .settings = {.tasks = kBothTasks},
                         .reward = reward,
                         .num_levels = 3});
}

// Plays `env` to its end with random legal actions. Forbidden devices and levels beyond the range
// are tried in forks on the way.
double PlayAtRandom(GroupwiseEnv& env, Rng& rng, StageWorkspaces& workspaces) {
  env.Reset(rng.Next(), {}, workspaces);
  StepBatch updated = Observed(env);
  double sum = 0.0;
  while (!env.state().is_over) {
    const StepBatch seen = Observed(env);
    EXPECT_EQ(updated.plan, seen.plan);
    EXPECT_EQ(updated.current, seen.current);
    EXPECT_EQ(updated.device_load, seen.device_load);
    EXPECT_EQ(updated.action_mask, seen.action_mask);
    Action action;
    std::size_t first = 0;
    for (const std::int32_t choices : env.num_choices()) {
      std::vector<std::int32_t> legal;
      for (std::int32_t choice = 0; choice < choices; ++choice) {
        if (seen.action_mask[first + static_cast<std::size_t>(choice)] != 0) {
          legal.push_back(choice);
        } else {
          Action forbidden(env.num_choices().size(), 0);
          forbidden[action.size()] = choice;
          EXPECT_EQ(env.Fork()->Step(forbidden, workspaces).info.outcome,
                    EpisodeOutcome::kIllegalAction);
        }
      }
      action.push_back(legal[rng.Below(legal.size())]);
      first += static_cast<std::size_t>(choices);
    }
    sum += env.Step(action, workspaces).reward;
    env.Update(updated.Row(0));
  }
  return sum;
}

TEST(GroupwiseEnvTest, RandomEpisodesEndWithThePlanThatTheyDecided) {
  Rng rng(4);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const GroupwiseOptions options{
        .improves = seed % 2 == 1,
        .turns = seed % 3 == 1 ? Turns::kInTurn : Turns::kJoint,
        .masked = seed % 5 == 1 ? MaskedDevices::kFull : MaskedDevices::kForbidden};
    GroupwiseEnv env(RandomStages(seed, RewardKind::kImprovement), options);
    StageWorkspaces workspaces;
    StageWorkspaces fresh(1);
    const double sum = PlayAtRandom(env, rng, workspaces);
    const Stage& stage = env.stage();
    const Evaluation evaluation = EvaluateUncounted(*stage.problem, env.plan(), fresh[0]);
    EXPECT_EQ(env.state().info.outcome, EpisodeOutcomeOf(evaluation.result.outcome)) << seed;
    EXPECT_EQ(env.state().info.makespan, evaluation.result.makespan) << seed;
    EXPECT_EQ(env.plan(), stage.codec.Decode(env.state().choices)) << seed;
    const sim::Plan first = GroupwiseEnv(env.shared_stages(), options).plan();
    const double before =
        RatioOf(EvaluateUncounted(*stage.problem, first, fresh[0]), stage.reference.score);
    EXPECT_NEAR(sum, before - env.state().ratio, 1e-9 * (1.0 + before)) << seed;
  }
}

TEST(GroupwiseEnvTest, AStateOfAnotherEnvironmentIsRefused) {
  GroupwiseEnv env(StagesOf(), {});
  for (const auto change : {+[](LaneState& state) { state.present = 9; },
                            +[](LaneState& state) { state.num_steps = 4; },
                            +[](LaneState& state) { state.choices = {0}; },
                            +[](LaneState& state) { state.choices[0] = 2; },
                            +[](LaneState& state) { state.num_steps = -1; }}) {
    LaneState state = env.state();
    change(state);
    EXPECT_THROW(env.Restore(state), InputError);
  }
}

}  // namespace
}  // namespace opyard::env
