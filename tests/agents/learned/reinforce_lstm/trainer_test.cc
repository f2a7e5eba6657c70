#include "agents/learned/reinforce_lstm/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/reinforce_lstm/search.h"
#include "sim/base/error.h"
#include "tests/agents/learned/trainer_test.h"

namespace opyard::agents::reinforce_lstm {
namespace {

using ::testing::HasSubstr;
using testing::RandomTree;
using testing::Train;
using testing::TreePool;

Settings Small() {
  Settings settings;
  settings.training = {.groups = {.rule = GroupingRule::kProblem},
                       .sizes = {.hidden = 12, .attention = 6, .embedding = 5},
                       .batch_size = 4,
                       .learning_rate = 0.02,
                       .entropy = {.weight = 0.1, .share = 0.5}};
  return settings;
}

constexpr TrainingPlan kPlan{.seed = 7, .num_updates = 30};

using ColocRlTrainerTest = testing::TrainerTest<PolicyTrainer, Settings>;

TEST_F(ColocRlTrainerTest, StoppedAndLoadedItGoesOnToEqualWeights) {
  ExpectEqualWeightsOnceLoaded(Small(), kPlan, {1, 12, 29});
}

// The plans of an update are dealt from its own stream, as they are sampled from it.
TEST_F(ColocRlTrainerTest, StoppedAndLoadedPpoGoesOnToEqualWeights) {
  Settings settings = Small();
  settings.training.rule = {.algorithm = Algorithm::kPpo,
                            .ppo = {.n_epochs = 2, .num_minibatches = 3}};
  ExpectEqualWeightsOnceLoaded(settings, kPlan, {1, 12, 29});
}

// Some of the four workers lag behind when it stops.
TEST_F(ColocRlTrainerTest, StoppedAndLoadedWorkersGoOnToEqualWeights) {
  Settings settings = Small();
  settings.training.num_workers = 4;
  ExpectEqualWeightsOnceLoaded(settings, kPlan, {1, 12, 29});
}

// The first worker has what a single one has; the second one still acts with the first weights.
TEST_F(ColocRlTrainerTest, ASecondWorkerActsWithTheFirstWeights) {
  Settings settings = Small();
  settings.training.num_workers = 2;
  PolicyTrainer alone(Small(), kPlan);
  PolicyTrainer shared(settings, kPlan);
  env::ProblemPool of_alone = TreePool();
  env::ProblemPool of_shared = TreePool();
  Train(alone, of_alone, 1);
  Train(shared, of_shared, 1);
  EXPECT_EQ(WeightsOf(shared), WeightsOf(alone));
  Train(alone, of_alone, 2);
  Train(shared, of_shared, 2);
  EXPECT_NE(WeightsOf(shared), WeightsOf(alone));
}

TEST_F(ColocRlTrainerTest, TheNumberOfThreadsChangesNothing) {
  PolicyTrainer one(Small(), kPlan);
  PolicyTrainer two(Small(), kPlan);
  env::ProblemPool one_pool = TreePool(1);
  env::ProblemPool two_pool = TreePool(2);
  Train(one, one_pool, 10);
  Train(two, two_pool, 10);
  EXPECT_EQ(WeightsOf(one), WeightsOf(two));
}

TEST_F(ColocRlTrainerTest, ThePoolCountsWhatEachProblemCost) {
  PolicyTrainer trainer(Small(), kPlan);
  env::ProblemPool pool = TreePool();
  Train(trainer, pool, 25);
  std::int64_t samples = 0;
  for (const auto& [name, use] : pool.uses()) {
    samples += use.samples;
    EXPECT_EQ(use.evaluations, 4 * use.samples) << name;
    EXPECT_GT(use.cpu_seconds, 0.0) << name;
  }
  EXPECT_EQ(samples, 25);
  EXPECT_GT(pool.uses().size(), 5U);
}

TEST_F(ColocRlTrainerTest, AnInterruptMakesNoUpdate) {
  ExpectAnInterruptMakesNoUpdate(Small(), kPlan);
}

// On all of them d0 is the fastest for most ops.
TEST_F(ColocRlTrainerTest, WhatIsLearntServesProblemsThatWereNeverSampled) {
  PolicyTrainer trainer(Small(), {.seed = 3, .num_updates = 200});
  env::ProblemPool pool = TreePool();
  Train(trainer, pool, 200);
  trainer.SaveWeights(folder_.path() / "weights", {});
  double trained = 0.0;
  double fresh = 0.0;
  for (std::uint64_t seed = 200; seed < 210; ++seed) {
    const auto problem = RandomTree(seed, 2 + seed % 3);
    const auto mean_score = [&](const std::filesystem::path& weights) {
      Search search(*problem, Small().training, seed, {.weights = weights});
      env::Evaluator evaluator(problem, {});
      Rng rng(seed);
      const auto samples = search.learner().Sample(search.view(), 50, evaluator, rng);
      double sum = 0.0;
      for (const env::Evaluation& evaluation : samples->evaluations) {
        sum += evaluation.score;
      }
      return sum;
    };
    trained += mean_score(folder_.path() / "weights");
    fresh += mean_score({});
  }
  EXPECT_LT(trained, 0.9 * fresh);
}

TEST_F(ColocRlTrainerTest, AFaithfulNetworkRefusesProblemsThatDiffer) {
  Settings faithful = Small();
  faithful.training.sizes.faithful = true;
  PolicyTrainer trainer(faithful, kPlan);
  env::ProblemPool pool = TreePool();
  Rng rng(1);
  try {
    for (int i = 0; i < 30; ++i) {
      static_cast<void>(trainer.Update(pool, rng));
    }
    FAIL() << "graphs of all sizes were taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("leave out faithful"));
  }
}

TEST_F(ColocRlTrainerTest, AStateOfOtherSizesIsRefused) {
  PolicyTrainer trainer(Small(), kPlan);
  env::ProblemPool pool = TreePool();
  Train(trainer, pool, 1);
  trainer.SaveWeights(folder_.path() / "weights", {});
  PolicyTrainer other(Small(), kPlan);
  try {
    static_cast<void>(other.Load(folder_.path() / "weights"));
    FAIL() << "weights alone were taken for a state";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tensor num_updates: missing"));
  }
}

}  // namespace
}  // namespace opyard::agents::reinforce_lstm
