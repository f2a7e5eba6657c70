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

// An environment with the memory that it steps in.
class OneShot {
 public:
  explicit OneShot(EnvironmentOptions options)
      : env_(std::make_shared<const Stages>(std::move(options))) {}

  void Reset(std::optional<std::uint64_t> seed, const EpisodeChoice& choice) {
    env_.Reset(seed, {.choice = choice}, workspaces_);
  }
  StepResult Step(const Action& action) { return env_.Step(action, workspaces_); }
  [[nodiscard]] const OneShotEnv* operator->() const { return &env_; }

 private:
  OneShotEnv env_;
  StageWorkspaces workspaces_;
};

TEST(OneShotEnvTest, TheRewardComparesWithTheBestSimplePlan) {
  OneShot env(ChainOptions());
  const StepResult step = env.Step(Action{0, 1, 0});

  // 12 us against 10 us on one device (small_problems.h)
  EXPECT_DOUBLE_EQ(step.reward, -std::sqrt(12.0 / 10.0));
  EXPECT_EQ(step.info.outcome, EpisodeOutcome::kCompleted);
  EXPECT_EQ(step.info.makespan, Microseconds(12));
  EXPECT_EQ(step.info.reference, Microseconds(10));
}

TEST(OneShotEnvTest, ThePlanIsThatOfTheAction) {
  OneShot env(ChainOptions());
  EXPECT_EQ(env->plan().placement, sim::OpPlacement(3, DeviceId(0)));  // the default plan
  (void)env.Step(Action{0, 1, 0});
  EXPECT_EQ(env->plan().placement, (sim::OpPlacement{DeviceId(0), DeviceId(1), DeviceId(0)}));
}

TEST(OneShotEnvTest, InfoSaysBoundsAndMemory) {
  OneShot env(ChainOptions());
  const EpisodeInfo info = env.Step(Action{0, 0, 0}).info;

  // The chain takes 10 us on any devices, fused or not: no matrix product fuses with what it reads.
  // b holds its 1000 bytes and a's.
  EXPECT_EQ(info.lower_bound, Microseconds(10));
  EXPECT_EQ(info.problem_bound, Microseconds(10));
  EXPECT_EQ(info.peak_memory, Bytes{2000});
}

TEST(OneShotEnvTest, BeforeTheStepInfoKnowsTheBoundsOnly) {
  const OneShot env(ChainOptions());

  EXPECT_EQ(env->state().info.outcome, EpisodeOutcome::kNotRun);
  EXPECT_EQ(env->state().info.makespan, SimTime{});
  EXPECT_EQ(env->state().info.problem_bound, Microseconds(10));
}

TEST(OneShotEnvTest, AnIllegalActionCostsTenAndIsNoError) {
  for (const Action& action : {Action{0, 2, 0}, Action{0, -1, 0}, Action{0, 0}, Action{}}) {
    OneShot env(ChainOptions());
    const StepResult step = env.Step(action);

    EXPECT_EQ(step.reward, -10.0);
    EXPECT_EQ(step.info.outcome, EpisodeOutcome::kIllegalAction);
  }
}

TEST(OneShotEnvTest, RunningOutOfMemoryCostsTen) {
  OneShot env({.graphs = {MakeGraph({TimedOp("a", 2, {}, {2'000'000})})}, .machines = {Mesh(1)}});
  const StepResult step = env.Step(Action{0});

  EXPECT_EQ(step.reward, -10.0);
  EXPECT_EQ(step.info.outcome, EpisodeOutcome::kOutOfMemory);
}

TEST(OneShotEnvTest, AnEpisodeIsOneStep) {
  OneShot env(ChainOptions());
  (void)env.Step(Action{0, 0, 0});
  EXPECT_THROW((void)env.Step(Action{0, 0, 0}), InputError);

  env.Reset(std::nullopt, {});
  EXPECT_DOUBLE_EQ(env.Step(Action{0, 0, 0}).reward, -1.0);
}

TEST(OneShotEnvTest, SchedulingAddsLevels) {
  EnvironmentOptions options = ChainOptions();
  options.settings.tasks = kBothTasks;
  options.num_levels = 4;
  OneShot env(options);

  EXPECT_THAT(env->num_choices(), ElementsAre(2, 2, 2, 4, 4, 4));
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
  OneShot env({.graphs = {LightChain()},
               .machines = {Mesh(2)},
               .settings = {.tasks = {.placement = true, .fusion = true}},
               .num_levels = 3});

  EXPECT_THAT(env->num_choices(), ElementsAre(2, 2, 3, 3));
  EXPECT_EQ(env.Step(Action{0, 0, 0, 2}).info.makespan, Microseconds(5));
  env.Reset(std::nullopt, {});
  const EpisodeInfo fused = env.Step(Action{0, 0, 1, 1}).info;
  EXPECT_EQ(fused.makespan, SimTime{4'998'000});
  EXPECT_EQ(fused.lower_bound, fused.makespan);
}

TEST(OneShotEnvTest, SpacesFitTheLargestProblem) {
  const OneShot env(FourProblems());

  EXPECT_THAT(env->num_choices(), ElementsAre(3, 3, 3));
  EXPECT_EQ(env->action_mask().size(), 9U);
  EXPECT_EQ(env->stages().room().max_ops, 3);
  EXPECT_EQ(env->stages().room().max_edges, 2);
  EXPECT_EQ(env->stages().room().max_devices, 3);
}

TEST(OneShotEnvTest, TheMaskLeavesOutDevicesAndGroupsThatAreNotThere) {
  OneShot env(FourProblems());
  env.Reset(std::nullopt, {.graph = 1, .machine = 0});

  // one group on two of three devices; the other decisions stand at 0
  EXPECT_THAT(env->action_mask(), ElementsAre(1, 1, 0, 1, 0, 0, 1, 0, 0));
  EXPECT_THAT(env->stage().padded.op_mask, ElementsAre(1, 0, 0));
  EXPECT_THAT(env->stage().padded.machine_mask, ElementsAre(1, 1, 0));
}

TEST(OneShotEnvTest, DecisionsBeyondTheProblemAreIgnored) {
  OneShot env(FourProblems());
  env.Reset(std::nullopt, {.graph = 1, .machine = 0});

  EXPECT_EQ(env.Step(Action{1, 2, 2}).info.makespan, Microseconds(7));
}

TEST(OneShotEnvTest, ADeviceOfALargerMachineIsIllegal) {
  OneShot env(FourProblems());
  env.Reset(std::nullopt, {.graph = 0, .machine = 0});

  EXPECT_EQ(env.Step(Action{0, 0, 2}).info.outcome, EpisodeOutcome::kIllegalAction);
}

std::vector<std::size_t> ProblemsSampled(std::uint64_t seed) {
  OneShot env(FourProblems());
  env.Reset(seed, {});
  std::vector<std::size_t> sampled;
  for (int episode = 0; episode < 40; ++episode) {
    sampled.push_back(env->state().present);
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
  OneShot env(FourProblems());

  EXPECT_THROW(env.Reset(std::nullopt, {.graph = 2}), InputError);
  EXPECT_THROW(env.Reset(std::nullopt, {.machine = 2}), InputError);
}

TEST(OneShotEnvTest, RoomForMoreOpsIsPadded) {
  EnvironmentOptions options = ChainOptions();
  options.max_ops = 5;
  options.max_edges = 7;
  const OneShot env(options);

  EXPECT_EQ(env->stage().padded.op_type.size(), 5U);
  EXPECT_EQ(env->stage().padded.edge_mask.size(), 7U);
  EXPECT_THAT(env->num_choices(), ElementsAre(2, 2, 2));
}

TEST(OneShotEnvTest, EmptyListsNoTasksAndTooLittleRoomAreRefused) {
  EnvironmentOptions no_room = ChainOptions();
  no_room.max_ops = 2;
  EnvironmentOptions no_tasks = ChainOptions();
  no_tasks.settings.tasks = {.placement = false, .scheduling = false};

  EXPECT_THROW(OneShot({.machines = {Mesh(1)}}), InputError);
  EXPECT_THROW(OneShot({.graphs = {ChainGraph()}}), InputError);
  EXPECT_THROW(OneShot{no_tasks}, InputError);
  EXPECT_THROW(OneShot{no_room}, InputError);
}

}  // namespace
}  // namespace opyard::env
