#include "agents/learned/placeto/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/placeto/search.h"
#include "sim/base/error.h"
#include "tests/agents/learned/trainer_test.h"

namespace opyard::agents::placeto {
namespace {

using ::testing::HasSubstr;
using testing::RandomTree;
using testing::Train;
using testing::TreePool;

// From random placements, where a fresh network moves as many nodes as uniform samples do.
Settings Small() {
  Settings settings;
  settings.training.episode.start = EpisodeStart::kRandom;
  settings.training.sizes.moves = 0.0;
  settings.training.groups = {.rule = GroupingRule::kProblem};
  settings.training.sizes.faithful = false;
  settings.training.sizes.width = 6;
  settings.training.sizes.rounds = 3;
  settings.training.entropy = {.weight = 0.05, .share = 0.5};
  settings.training.baseline_episodes = 3;
  return settings;
}

env::ProblemPool PoolOf(const std::shared_ptr<const env::Problem>& problem) {
  return env::ProblemPool(
      {{.name = "one",
        .weight = 1.0,
        .sample =
            [problem](Rng&) { return env::PooledProblem{.name = "one", .problem = problem}; }}},
      {});
}

constexpr TrainingPlan kPlan{.seed = 7, .num_updates = 30};

using PlacetoTrainerTest = testing::TrainerTest<PolicyTrainer, Settings>;

// With baselines of three episodes at most, which some problems have and others have not by then.
TEST_F(PlacetoTrainerTest, StoppedAndLoadedItGoesOnToEqualWeights) {
  ExpectEqualWeightsOnceLoaded(Small(), kPlan, {1, 12, 29});
}

// The first episode on a problem is compared with nothing, the second one with the first.
TEST_F(PlacetoTrainerTest, EachProblemHasABaselineOfItsOwn) {
  PolicyTrainer trainer(Small(), kPlan);
  env::ProblemPool pool = TreePool();
  std::size_t num_known = 0;
  for (std::int64_t update = 1; update <= 20; ++update) {
    Rng rng(static_cast<std::uint64_t>(update));
    const TrainingPoint point = *trainer.Update(pool, rng);
    const bool is_first = pool.uses().size() > num_known;
    num_known = pool.uses().size();
    EXPECT_EQ(point.values.contains("baseline"), !is_first);
  }
  EXPECT_GT(num_known, 3U);
  EXPECT_LT(num_known, 20U);
}

TEST_F(PlacetoTrainerTest, AnInterruptMakesNoUpdate) {
  ExpectAnInterruptMakesNoUpdate(Small(), kPlan);
}

// The run times that ten episodes of the network in `weights` end with, none of which changes it.
double MeanEnd(const std::shared_ptr<const env::Problem>& problem,
               const std::filesystem::path& weights,
               std::uint64_t seed) {
  const TorchSession one_thread(1);
  Search search(*problem, Small().training, seed, {.weights = weights});
  env::Evaluator evaluator(problem, {});
  Rng rng(seed);
  double sum = 0.0;
  for (int i = 0; i < 10; ++i) {
    sum += Play(search.view(),
                Small().training.episode,
                std::nullopt,
                search.learner().policy(),
                evaluator,
                rng)
               ->run_times.back();
  }
  return sum / 10.0;
}

// Trees and machines of 2 to 4 devices that were never sampled, ten for each of three trainings. On
// all of them d0 is the fastest for most ops.
TEST_F(PlacetoTrainerTest, WhatIsLearntServesProblemsThatWereNeverSampled) {
  for (const std::uint64_t seed : {3, 4, 5}) {
    PolicyTrainer trainer(Small(), {.seed = seed, .num_updates = 200});
    env::ProblemPool pool = TreePool();
    Train(trainer, pool, 200);
    trainer.SaveWeights(folder_.path() / "weights", {});
    double trained = 0.0;
    double fresh = 0.0;
    for (std::uint64_t member = 200; member < 210; ++member) {
      const auto problem = RandomTree(member, 2 + member % 3);
      trained += MeanEnd(problem, folder_.path() / "weights", member);
      fresh += MeanEnd(problem, {}, member);
    }
    EXPECT_LT(trained, 0.8 * fresh) << seed;
  }
}

TEST_F(PlacetoTrainerTest, AFaithfulNetworkRefusesMachinesThatDiffer) {
  Settings faithful = Small();
  faithful.training.sizes.faithful = true;
  PolicyTrainer trainer(faithful, kPlan);
  env::ProblemPool pool = TreePool();
  Rng rng(1);
  try {
    for (int i = 0; i < 30; ++i) {
      static_cast<void>(trainer.Update(pool, rng));
    }
    FAIL() << "machines of all sizes were taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("set faithful: false"));
  }
}

TEST_F(PlacetoTrainerTest, WhereNothingIsToBeLearntThatIsSaid) {
  const auto message_for = [](const std::shared_ptr<const env::Problem>& problem) -> std::string {
    PolicyTrainer trainer(Small(), kPlan);
    env::ProblemPool pool = PoolOf(problem);
    Rng rng(1);
    try {
      static_cast<void>(trainer.Update(pool, rng));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_for(RandomTree(1, 1)), HasSubstr("one: found no op with a choice"));
  const auto scheduled =
      testing::MakeProblem(opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 2)}),
                           opyard::testing::MeshMachine(2),
                           testing::kScheduling);
  EXPECT_THAT(message_for(scheduled), HasSubstr("one: found no placement to learn"));
}

TEST_F(PlacetoTrainerTest, WhoIsNotToLearnIsNotTrained) {
  Settings settings = Small();
  settings.training.learns = false;
  EXPECT_THROW(PolicyTrainer(settings, kPlan), InputError);
}

TEST_F(PlacetoTrainerTest, AStateThatLacksSomethingIsRefused) {
  PolicyTrainer trainer(Small(), kPlan);
  env::ProblemPool pool = TreePool();
  Train(trainer, pool, 1);
  trainer.SaveWeights(folder_.path() / "weights", {});
  trainer.Save(folder_.path() / "state", {});
  Checkpoint cut = ReadCheckpoint(folder_.path() / "state");
  cut.tensors.erase("baseline.0");
  WriteCheckpoint(cut, folder_.path() / "cut");
  const auto message_for = [&](const char* file) -> std::string {
    PolicyTrainer other(Small(), kPlan);
    try {
      static_cast<void>(other.Load(folder_.path() / file));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_for("weights"), HasSubstr("tensor num_updates: missing"));
  EXPECT_THAT(message_for("cut"), HasSubstr("tensor baseline.0: missing"));
}

}  // namespace
}  // namespace opyard::agents::placeto
