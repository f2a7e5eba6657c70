#include "env/environments/list_schedule_env.h"

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
using ::opyard::testing::PlacedOn;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using Action = std::vector<std::int32_t>;

constexpr TaskSet kOrderOnly{.placement = false, .scheduling = true};

struct Setting {
  TaskSet tasks = kBothTasks;
  RewardKind reward = RewardKind::kSqrt;
  double noise = 0.0;
  DefaultFusion fusion = DefaultFusion::kNone;
};

std::shared_ptr<const Stages> StagesOf(std::shared_ptr<const sim::OpGraph> graph,
                                       const sim::HardwareProfile& machine,
                                       const Setting& setting = {}) {
  return std::make_shared<const Stages>(
      EnvironmentOptions{.graphs = {std::move(graph)},
                         .machines = {std::make_shared<const sim::HardwareProfile>(machine)},
                         .settings = {.tasks = setting.tasks,
                                      .default_fusion = setting.fusion,
                                      .decide_per = DecidePer::kOp},
                         .reward = setting.reward,
                         .noise = setting.noise});
}

// a (2 us), b (5 us) and c (1 us) are independent; x (4 us) reads 1000 bytes of a.
std::shared_ptr<const sim::OpGraph> FourOps() {
  return MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 1), TimedOp("x", 4, {{0, 0}})});
}

std::vector<std::int32_t> LegalActions(const Environment& env) {
  std::vector<std::int32_t> legal;
  for (std::size_t action = 0; action < env.action_mask().size(); ++action) {
    if (env.action_mask()[action] != 0) {
      legal.push_back(static_cast<std::int32_t>(action));
    }
  }
  return legal;
}

StepBatch Observed(const Environment& env) {
  StepBatch batch(env.stages().room(), 1, MaskSizeOf(env));
  env.Write(batch.Row(0));
  return batch;
}

// Plays at random to the end and returns the sum of rewards.
double PlayAtRandom(Environment& env, Rng& rng) {
  StageWorkspaces workspaces;
  double sum = 0.0;
  while (!env.state().is_over) {
    const std::vector<std::int32_t> legal = LegalActions(env);
    sum += env.Step(Action{legal[rng.Below(legal.size())]}, workspaces).reward;
  }
  return sum;
}

TEST(ListScheduleTest, AStepStartsAReadyOpAndSkipsWhatIsForced) {
  ListScheduleEnv env(StagesOf(FourOps(), MeshMachine(2), {.tasks = kOrderOnly}),
                      {.plans = {PlacedOn({0, 0, 0, 1})}});
  StageWorkspaces workspaces;
  env.Reset(0, {}, workspaces);
  EXPECT_THAT(LegalActions(env), ElementsAre(0, 1, 2));
  env.Step(Action{2}, workspaces);  // c: 0 to 1
  EXPECT_THAT(LegalActions(env), ElementsAre(0, 1));
  EXPECT_EQ(env.state().info.makespan, Microseconds(1));
  // a: 1 to 3, its copy: 3 to 4. b from 3 to 8 is forced; x is the last start: a step.
  env.Step(Action{0}, workspaces);
  EXPECT_THAT(LegalActions(env), ElementsAre(3));
  EXPECT_FALSE(env.state().is_over);
  const StepResult last = env.Step(Action{3}, workspaces);  // x: 4 to 8
  EXPECT_TRUE(env.state().is_over);
  EXPECT_EQ(last.info.outcome, EpisodeOutcome::kCompleted);
  EXPECT_EQ(last.info.makespan, Microseconds(8));
  // On one device all take 2 + 5 + 1 + 4 = 12 us; cut into (a, b) and (c, x): a copy 2 to 3, x
  // to 7.
  EXPECT_EQ(last.info.reference, Microseconds(7));
  EXPECT_DOUBLE_EQ(last.reward, -std::sqrt(8.0 / 7.0));
  EXPECT_THAT(env.plan().op_priority, ElementsAre(3, 2, 4, 1));
}

TEST(ListScheduleTest, TheNetworksOrderIsRefused) {
  const auto stages = std::make_shared<const Stages>(
      EnvironmentOptions{.graphs = {FourOps()},
                         .machines = {std::make_shared<const sim::HardwareProfile>(MeshMachine(2))},
                         .settings = {.tasks = kOrderOnly, .contiguous = true}});
  try {
    const ListScheduleEnv env(stages, {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("contiguous: found true, expected false"));
  }
}

TEST(ListScheduleTest, ChoosesDevicesBeforeTheyMatter) {
  ListScheduleEnv env(StagesOf(FourOps(), MeshMachine(2)), {});
  StageWorkspaces workspaces;
  env.Reset(0, {}, workspaces);
  // Pairs op · 2 + device: a, b and c have no inputs; x can wait.
  EXPECT_THAT(LegalActions(env), ElementsAre(0, 1, 2, 3, 4, 5));
  env.Step(Action{0}, workspaces);  // a on d0
  env.Step(Action{2}, workspaces);  // b on d0
  EXPECT_THAT(LegalActions(env), ElementsAre(4, 5));
  env.Step(Action{5}, workspaces);  // c on d1, where it starts at once
  EXPECT_THAT(LegalActions(env), ElementsAre(0, 2));
  env.Step(Action{0}, workspaces);  // a starts; before it ends, at 2, x needs a device
  EXPECT_THAT(LegalActions(env), ElementsAre(6, 7));
  EXPECT_EQ(env.plan().placement[3], DeviceId(0));  // open: as in the default plan
}

TEST(ListScheduleTest, ObservesWhatWaitsRunsAndIsDone) {
  ListScheduleEnv env(StagesOf(FourOps(), MeshMachine(2), {.tasks = kOrderOnly}),
                      {.plans = {PlacedOn({0, 0, 0, 1})}});
  StageWorkspaces workspaces;
  env.Reset(0, {}, workspaces);
  EXPECT_THAT(Observed(env).current, ElementsAre(1, 1, 1, 0));
  env.Step(Action{2}, workspaces);
  env.Step(Action{0}, workspaces);
  // At 4 us: a and c are done, b runs to 8, x is ready.
  const StepBatch seen = Observed(env);
  EXPECT_THAT(seen.current, ElementsAre(4, 3, 4, 1));
  EXPECT_THAT(seen.plan, ElementsAre(0, 0, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(seen.device_load, ElementsAre(FloatEq(4.0F / (4.0F + 7.0F)), FloatEq(0.0F)));
  EXPECT_THAT(seen.progress, ElementsAre(FloatEq(0.75F), FloatEq(4.0F / (4.0F + 7.0F))));
}

TEST(ListScheduleTest, APlanOfTheEpisodeComesBeforeChoosing) {
  ListScheduleEnv env(StagesOf(FourOps(), MeshMachine(2)), {});
  StageWorkspaces workspaces;
  const sim::Plan plan = PlacedOn({1, 1, 1, 0});
  env.Reset(0, {.plan = &plan}, workspaces);
  EXPECT_THAT(LegalActions(env), ElementsAre(1, 3, 5));
  env.Reset(std::nullopt, {}, workspaces);
  EXPECT_EQ(LegalActions(env).size(), 6U);
}

// Its parameters fit nowhere, so the run has failed before the first step.
TEST(ListScheduleTest, ARunThatFailsAtOnceEndsWithTheFirstStep) {
  sim::OpSpec large = TimedOp("large", 1);
  large.param_bytes = Bytes{2'000'000};
  ListScheduleEnv env(StagesOf(MakeGraph({large}), MeshMachine(1), {.tasks = kOrderOnly}), {});
  StageWorkspaces workspaces;
  env.Reset(0, {}, workspaces);
  EXPECT_FALSE(env.state().is_over);
  EXPECT_THAT(LegalActions(env), ElementsAre(0));
  const StepResult step = env.Step(Action{0}, workspaces);
  EXPECT_TRUE(env.state().is_over);
  EXPECT_EQ(step.info.outcome, EpisodeOutcome::kOutOfMemory);
  EXPECT_EQ(step.reward, kFailureReward);
}

TEST(ListScheduleTest, AMaskOfFullDevicesLeavesOutThoseWithoutRoom) {
  sim::OpSpec large = TimedOp("large", 1, {{0, 0}});
  large.param_bytes = Bytes{900'000};
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {500'000}), large});
  const auto play = [&](MaskedDevices masked) {
    ListScheduleEnv env(StagesOf(graph, MeshMachine(2)), {.masked = masked});
    StageWorkspaces workspaces;
    env.Reset(0, {}, workspaces);
    env.Step(Action{0}, workspaces);  // a on d0, where it starts
    return LegalActions(env);
  };
  EXPECT_THAT(play(MaskedDevices::kForbidden), ElementsAre(2, 3));
  EXPECT_THAT(play(MaskedDevices::kFull), ElementsAre(3));
}

TEST(ListScheduleTest, RefusesWhatItCannotDecide) {
  const auto refuses = [](const Setting& setting, const ListScheduleOptions& options) {
    EXPECT_THROW(ListScheduleEnv(StagesOf(FourOps(), MeshMachine(2), setting), options),
                 InputError);
  };
  refuses({.tasks = kPlacementOnly}, {});
  refuses({.tasks = kAllTasks}, {});
  refuses({.fusion = DefaultFusion::kFramework}, {});
  refuses({}, {.plans = {PlacedOn({0, 0, 0, 0})}});
  refuses({.tasks = kOrderOnly}, {.plans = {PlacedOn({0, 0, 0, 0}), PlacedOn({0, 0, 0, 0})}});
  EXPECT_THROW(ListScheduleEnv(StagesOf(FourOps(), MeshMachine(2), {.tasks = kOrderOnly}),
                               {.plans = {PlacedOn({0, 0, 0, 7})}}),
               PlanError);
}

// ---- Random problems ----

constexpr std::uint64_t kNumCases = 150;

struct RandomEnv {
  std::unique_ptr<ListScheduleEnv> env;
  testing::RandomCase made;
};

// Odd seeds choose devices; the others take those of a random plan, and fuse by its priorities.
RandomEnv MakeRandomEnv(std::uint64_t seed, RewardKind reward, double noise = 0.0) {
  const bool places = seed % 2 == 1;
  RandomEnv random{.made = testing::MakeRandomCase(
                       seed, testing::Values::kContinuous, {.most_ops = 25, .fuses = !places})};
  const Setting setting{
      .tasks = places ? kBothTasks : kOrderOnly, .reward = reward, .noise = noise};
  ListScheduleOptions options;
  if (!places) {
    options.plans = {random.made.plan};
  }
  random.env = std::make_unique<ListScheduleEnv>(
      StagesOf(random.made.graph, random.made.hardware, setting), options);
  return random;
}

TEST(ListScheduleTest, TheEpisodeIsThatOfItsPlan) {
  for (std::uint64_t seed = 0; seed < kNumCases; ++seed) {
    const RandomEnv random = MakeRandomEnv(seed, RewardKind::kImprovement);
    ListScheduleEnv& env = *random.env;
    Rng rng(seed);
    StageWorkspaces workspaces;
    env.Reset(seed, {}, workspaces);
    const double sum = PlayAtRandom(env, rng);
    sim::Workspace workspace;
    const Evaluation replayed = EvaluateUncounted(*env.stage().problem, env.plan(), workspace);
    ASSERT_EQ(env.state().info.outcome, EpisodeOutcome::kCompleted) << seed;
    ASSERT_EQ(replayed.result.makespan, env.state().info.makespan) << seed;
    ASSERT_EQ(replayed.result.peak_memory, env.state().info.peak_memory) << seed;
    ASSERT_NEAR(sum, -RatioOf(replayed, env.stage().reference.score), 1e-9) << seed;
    ASSERT_LE(env.state().num_steps, env.episode_length()) << seed;
  }
}

TEST(ListScheduleTest, MasksAllowWhatIsLegalAndNothingElse) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomEnv random = MakeRandomEnv(seed, RewardKind::kSqrt);
    Rng rng(seed);
    StageWorkspaces workspaces;
    random.env->Reset(seed, {}, workspaces);
    while (!random.env->state().is_over) {
      const std::vector<std::int32_t> legal = LegalActions(*random.env);
      const auto action = static_cast<std::int32_t>(rng.Below(random.env->action_mask().size()));
      const bool is_legal = random.env->action_mask()[static_cast<std::size_t>(action)] != 0;
      const std::unique_ptr<Environment> fork = random.env->Fork();
      const StepResult tried = fork->Step(Action{action}, workspaces);
      ASSERT_EQ(tried.info.outcome != EpisodeOutcome::kIllegalAction, is_legal) << seed;
      random.env->Step(Action{legal[rng.Below(legal.size())]}, workspaces);
    }
  }
}

TEST(ListScheduleTest, ForksAndStatesGoOnAsTheOriginal) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomEnv random = MakeRandomEnv(seed, RewardKind::kShaped, 0.3);
    StageWorkspaces workspaces;
    Rng rng(seed);
    random.env->Reset(seed, {}, workspaces);
    for (std::uint64_t steps = rng.Below(8); steps > 0 && !random.env->state().is_over; --steps) {
      random.env->Step(Action{LegalActions(*random.env).front()}, workspaces);
    }
    const std::unique_ptr<Environment> fork = random.env->Fork();
    const RandomEnv other = MakeRandomEnv(seed, RewardKind::kShaped, 0.3);
    other.env->Restore(random.env->state());
    Rng first(7);
    Rng second(7);
    Rng third(7);
    ASSERT_EQ(Observed(*fork).current, Observed(*random.env).current);
    const double sum = PlayAtRandom(*random.env, first);
    ASSERT_EQ(PlayAtRandom(*fork, second), sum);
    ASSERT_EQ(PlayAtRandom(*other.env, third), sum);
    ASSERT_EQ(fork->plan(), random.env->plan());
  }
}

TEST(ListScheduleTest, AStateOfOtherOptionsIsRefused) {
  const RandomEnv random = MakeRandomEnv(2, RewardKind::kSqrt);
  StageWorkspaces workspaces;
  random.env->Reset(0, {}, workspaces);
  LaneState state = random.env->state();
  state.num_steps = 1;
  EXPECT_THROW(random.env->Restore(state), InputError);
  state = random.env->state();
  state.choices = {-1};
  state.num_steps = 1;
  EXPECT_THROW(random.env->Restore(state), InputError);
  state = random.env->state();
  state.present = 1;
  EXPECT_THROW(random.env->Restore(state), InputError);
  EXPECT_FALSE(random.env->state().is_over);  // unharmed
}

// ---- Noise, which all environments have ----

TEST(NoiseTest, ChangesTimesAnewInEachEpisodeAndNothingElse) {
  ListScheduleEnv env(StagesOf(FourOps(), MeshMachine(2), {.tasks = kOrderOnly, .noise = 0.5}), {});
  StageWorkspaces workspaces;
  const auto makespan = [&](std::optional<std::uint64_t> seed, std::optional<double> noise) {
    env.Reset(seed, {.noise = noise}, workspaces);
    Rng rng(1);
    PlayAtRandom(env, rng);
    return env.state().info.makespan;
  };
  const SimTime first = makespan(3, std::nullopt);
  EXPECT_NE(makespan(std::nullopt, std::nullopt), first);
  EXPECT_EQ(makespan(3, std::nullopt), first);
  EXPECT_EQ(makespan(3, 0.0), Microseconds(12));  // all on one device: 2 + 5 + 1 + 4
  EXPECT_THROW(static_cast<void>(makespan(3, 1.5)), InputError);
  EXPECT_THROW(static_cast<void>(makespan(3, std::nan(""))), InputError);
}

// The median of the factor is 1, and its logarithm has the deviation that was asked for.
TEST(NoiseTest, FactorsAreLognormal) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 1000)}), MeshMachine(1));
  constexpr int kNumSamples = 4000;
  double sum = 0.0;
  double squares = 0.0;
  for (std::uint64_t seed = 1; seed <= kNumSamples; ++seed) {
    const auto simulator = SimulatorWith({.sigma = 0.4, .seed = seed}, *problem);
    const double logarithm =
        std::log(static_cast<double>(simulator->problem().Duration(0, 0)) / 1e9);
    sum += logarithm;
    squares += logarithm * logarithm;
  }
  // Standard errors: 0.4 / sqrt(4000) = 0.006 of the mean, 0.4 / sqrt(8000) = 0.0045.
  EXPECT_NEAR(sum / kNumSamples, 0.0, 0.025);
  EXPECT_NEAR(std::sqrt(squares / kNumSamples), 0.4, 0.018);
}

}  // namespace
}  // namespace opyard::env
