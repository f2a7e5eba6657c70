#include "env/environments/one_shot_env.h"

#include <cmath>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::Microseconds;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using Action = std::vector<std::int32_t>;

std::shared_ptr<const sim::HardwareProfile> Mesh(std::size_t num_devices) {
  return std::make_shared<const sim::HardwareProfile>(MeshMachine(num_devices));
}

std::shared_ptr<const sim::OpGraph> SingleOpGraph() {
  return MakeGraph({TimedOp("only", 7)});
}

EnvironmentOptions ChainOptions() {
  return {.graphs = {ChainGraph()}, .machines = {Mesh(2)}};
}

// The chain of three ops and a single op, on two and on three devices.
EnvironmentOptions FourProblems() {
  return {.graphs = {ChainGraph(), SingleOpGraph()}, .machines = {Mesh(2), Mesh(3)}};
}

TEST(OneShotEnvTest, TheRewardComparesWithTheBestSimplePlan) {
  OneShotEnv env(ChainOptions());
  const StepResult step = env.Step(Action{0, 1, 0});

  // 12 us against 10 us on one device (small_problems.h)
  EXPECT_DOUBLE_EQ(step.reward, -std::sqrt(12.0 / 10.0));
  EXPECT_EQ(step.info.outcome, EpisodeOutcome::kCompleted);
  EXPECT_EQ(step.info.makespan, Microseconds(12));
  EXPECT_EQ(step.info.reference, Microseconds(10));
}

TEST(OneShotEnvTest, AnActionStandsForAPlanUnlessItIsIllegal) {
  const OneShotEnv env(ChainOptions());
  const std::optional<sim::Plan> plan = env.FindPlan(Action{0, 1, 0});
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->placement, ElementsAre(DeviceId(0), DeviceId(1), DeviceId(0)));
  EXPECT_EQ(env.FindPlan(Action{0, 2, 0}), std::nullopt);
  EXPECT_EQ(env.FindPlan(Action{0, 1}), std::nullopt);
}

TEST(OneShotEnvTest, InfoSaysBoundsAndMemory) {
  OneShotEnv env(ChainOptions());
  const EpisodeInfo info = env.Step(Action{0, 0, 0}).info;

  // The chain takes 10 us on any devices; b holds its 1000 bytes and a's. Measured ops that may
  // fuse bound nothing over all plans.
  EXPECT_EQ(info.lower_bound, Microseconds(10));
  EXPECT_EQ(info.problem_bound, SimTime{});
  EXPECT_EQ(info.peak_memory, Bytes{2000});
}

TEST(OneShotEnvTest, BeforeTheStepInfoKnowsTheBoundsOnly) {
  const OneShotEnv env(ChainOptions());

  EXPECT_EQ(env.info().outcome, EpisodeOutcome::kNotRun);
  EXPECT_EQ(env.info().makespan, SimTime{});
  EXPECT_EQ(env.info().problem_bound, SimTime{});
}

TEST(OneShotEnvTest, AnIllegalActionCostsTenAndIsNoError) {
  for (const Action& action : {Action{0, 2, 0}, Action{0, -1, 0}, Action{0, 0}, Action{}}) {
    OneShotEnv env(ChainOptions());
    const StepResult step = env.Step(action);

    EXPECT_EQ(step.reward, -10.0);
    EXPECT_EQ(step.info.outcome, EpisodeOutcome::kIllegalAction);
  }
}

TEST(OneShotEnvTest, RunningOutOfMemoryCostsTen) {
  OneShotEnv env(
      {.graphs = {MakeGraph({TimedOp("a", 2, {}, {2'000'000})})}, .machines = {Mesh(1)}});
  const StepResult step = env.Step(Action{0});

  EXPECT_EQ(step.reward, -10.0);
  EXPECT_EQ(step.info.outcome, EpisodeOutcome::kOutOfMemory);
}

TEST(OneShotEnvTest, AnEpisodeIsOneStep) {
  OneShotEnv env(ChainOptions());
  (void)env.Step(Action{0, 0, 0});
  EXPECT_THROW((void)env.Step(Action{0, 0, 0}), InputError);

  env.Reset(std::nullopt, {});
  EXPECT_DOUBLE_EQ(env.Step(Action{0, 0, 0}).reward, -1.0);
}

TEST(OneShotEnvTest, SchedulingAddsLevels) {
  EnvironmentOptions options = ChainOptions();
  options.settings.tasks = kBothTasks;
  options.num_levels = 4;
  OneShotEnv env(options);

  EXPECT_THAT(env.num_choices(), ElementsAre(2, 2, 2, 4, 4, 4));
  EXPECT_EQ(env.Step(Action{0, 0, 0, 3, 1, 2}).info.makespan, Microseconds(10));
}

// a (2 us) → b (3 us), elementwise, 1000 bytes in between: reading and writing them takes nearly
// nothing, 2 ns.
std::shared_ptr<const sim::OpGraph> LightChain() {
  sim::OpSpec a = TimedOp("a", 2);
  sim::OpSpec b = TimedOp("b", 3, {{0, 0}});
  a.type = "Relu";
  b.type = "Relu";
  return MakeGraph({a, b});
}

TEST(OneShotEnvTest, FusionAddsLevelsThatDecline) {
  OneShotEnv env({.graphs = {LightChain()},
                  .machines = {Mesh(2)},
                  .settings = {.tasks = {.placement = true, .fusion = true}},
                  .num_levels = 3});

  EXPECT_THAT(env.num_choices(), ElementsAre(2, 2, 3, 3));
  EXPECT_EQ(env.Step(Action{0, 0, 0, 2}).info.makespan, Microseconds(5));
  env.Reset(std::nullopt, {});
  const EpisodeInfo fused = env.Step(Action{0, 0, 1, 1}).info;
  EXPECT_EQ(fused.makespan, SimTime{4'998'000});
  EXPECT_EQ(fused.lower_bound, fused.makespan);
}

TEST(OneShotEnvTest, SpacesFitTheLargestProblem) {
  const OneShotEnv env(FourProblems());

  EXPECT_THAT(env.num_choices(), ElementsAre(3, 3, 3));
  EXPECT_EQ(env.action_mask_size(), 9U);
  EXPECT_EQ(env.room().max_ops, 3);
  EXPECT_EQ(env.room().max_edges, 2);
  EXPECT_EQ(env.room().max_devices, 3);
}

TEST(OneShotEnvTest, TheMaskLeavesOutDevicesAndGroupsThatAreNotThere) {
  OneShotEnv env(FourProblems());
  env.Reset(std::nullopt, {.graph = 1, .machine = 0});

  // one group on two of three devices; the other decisions stand at 0
  EXPECT_THAT(env.action_mask(), ElementsAre(1, 1, 0, 1, 0, 0, 1, 0, 0));
  EXPECT_THAT(env.padded_observation().op_mask, ElementsAre(1, 0, 0));
  EXPECT_THAT(env.padded_observation().machine_mask, ElementsAre(1, 1, 0));
}

TEST(OneShotEnvTest, DecisionsBeyondTheProblemAreIgnored) {
  OneShotEnv env(FourProblems());
  env.Reset(std::nullopt, {.graph = 1, .machine = 0});

  EXPECT_EQ(env.Step(Action{1, 2, 2}).info.makespan, Microseconds(7));
}

TEST(OneShotEnvTest, ADeviceOfALargerMachineIsIllegal) {
  OneShotEnv env(FourProblems());
  env.Reset(std::nullopt, {.graph = 0, .machine = 0});

  EXPECT_EQ(env.Step(Action{0, 0, 2}).info.outcome, EpisodeOutcome::kIllegalAction);
}

std::vector<std::pair<std::size_t, std::size_t>> ProblemsSampled(std::uint64_t seed) {
  OneShotEnv env(FourProblems());
  env.Reset(seed, {});
  std::vector<std::pair<std::size_t, std::size_t>> sampled;
  for (int episode = 0; episode < 40; ++episode) {
    sampled.emplace_back(env.graph_index(), env.machine_index());
    env.Reset(std::nullopt, {});
  }
  return sampled;
}

TEST(OneShotEnvTest, TheSeedFixesTheProblemsThatAreSampled) {
  EXPECT_EQ(ProblemsSampled(3), ProblemsSampled(3));
  EXPECT_NE(ProblemsSampled(3), ProblemsSampled(4));
}

TEST(OneShotEnvTest, AllProblemsAreSampled) {
  const auto sampled = ProblemsSampled(3);

  // Each is missed by 40 samples with probability (3/4)^40 = 1e-5; the seed is fixed.
  EXPECT_EQ((std::set(sampled.begin(), sampled.end()).size()), 4U);
}

TEST(OneShotEnvTest, AChoiceBeyondTheListsIsRefused) {
  OneShotEnv env(FourProblems());

  EXPECT_THROW(env.Reset(std::nullopt, {.graph = 2}), InputError);
  EXPECT_THROW(env.Reset(std::nullopt, {.machine = 2}), InputError);
}

TEST(OneShotEnvTest, RoomForMoreOpsIsPadded) {
  EnvironmentOptions options = ChainOptions();
  options.max_ops = 5;
  options.max_edges = 7;
  const OneShotEnv env(options);

  EXPECT_EQ(env.padded_observation().op_type.size(), 5U);
  EXPECT_EQ(env.padded_observation().edge_mask.size(), 7U);
  EXPECT_THAT(env.num_choices(), ElementsAre(2, 2, 2));
}

TEST(OneShotEnvTest, EmptyListsNoTasksAndTooLittleRoomAreRefused) {
  EnvironmentOptions no_room = ChainOptions();
  no_room.max_ops = 2;
  EnvironmentOptions no_tasks = ChainOptions();
  no_tasks.settings.tasks = {.placement = false, .scheduling = false};

  EXPECT_THROW(OneShotEnv({.machines = {Mesh(1)}}), InputError);
  EXPECT_THROW(OneShotEnv({.graphs = {ChainGraph()}}), InputError);
  EXPECT_THROW(OneShotEnv{no_tasks}, InputError);
  EXPECT_THROW(OneShotEnv{no_room}, InputError);
}

}  // namespace
}  // namespace opyard::env
