#include "agents/learned/go/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/go/search.h"
#include "sim/base/error.h"
#include "tests/agents/learned/trainer_test.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;
using testing::RandomTree;
using testing::Train;
using testing::TreePool;

GoSettings Small() {
  GoSettings settings;
  settings.training.sizes = {.type_embedding = 4,
                             .hidden = 16,
                             .graph_layers = 2,
                             .row_layers = 1,
                             .attention_layers = 1,
                             .heads = 2,
                             .feed_forward = 16};
  settings.training.rows.first = 2;
  settings.training.samples = 6;
  settings.training.elites = 3;
  return settings;
}

constexpr TrainingPlan kPlan{.seed = 7, .num_updates = 12};

using GoTrainerTest = testing::TrainerTest<GoTrainer, GoSettings>;

// With baselines and best plans that some problems have and others have not by then.
TEST_F(GoTrainerTest, StoppedAndLoadedItGoesOnToEqualWeights) {
  ExpectEqualWeightsOnceLoaded(Small(), kPlan, {1, 7, 11});
}

TEST_F(GoTrainerTest, AnInterruptMakesNoUpdate) {
  ExpectAnInterruptMakesNoUpdate(Small(), kPlan);
}

// The makespan of what the network in `weights` finds likeliest.
double Likeliest(const std::shared_ptr<const env::Problem>& problem,
                 const std::filesystem::path& weights,
                 std::uint64_t seed) {
  const TorchSession one_thread(1);
  GoSearch search(*problem, Small().training, seed, {.weights = weights});
  env::Evaluator evaluator(problem, {});
  const std::size_t last = search.view().levels.size() - 1;
  return search.learner().JudgeLikeliest(search.view(), last, evaluator)->result.makespan.seconds();
}

// Trees and machines of 2 to 4 devices that were never drawn, ten for each of three trainings. On
// all of them d0 is the fastest for most ops.
TEST_F(GoTrainerTest, WhatIsLearntServesProblemsThatWereNeverDrawn) {
  for (const std::uint64_t seed : {3, 4, 5}) {
    GoTrainer trainer(Small(), {.seed = seed, .num_updates = 100});
    env::ProblemPool pool = TreePool();
    Train(trainer, pool, 100);
    trainer.SaveWeights(folder_.path() / "weights", {});
    double trained = 0.0;
    double fresh = 0.0;
    for (std::uint64_t member = 200; member < 210; ++member) {
      const auto problem = RandomTree(member, 2 + member % 3);
      trained += Likeliest(problem, folder_.path() / "weights", member);
      fresh += Likeliest(problem, {}, member);
    }
    EXPECT_LT(trained, 0.8 * fresh) << seed;
  }
}

TEST_F(GoTrainerTest, AProblemWithOnePlanIsRefused) {
  const auto problem = RandomTree(1, 1);
  env::ProblemPool pool(
      {{.name = "one",
        .weight = 1.0,
        .draw = [problem](Rng&) { return env::PooledProblem{.name = "one", .problem = problem}; }}},
      {});
  GoTrainer trainer(Small(), kPlan);
  Rng rng(1);
  try {
    static_cast<void>(trainer.Update(pool, rng));
    FAIL() << "there was something to learn";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("one: found one plan only"));
  }
}

}  // namespace
}  // namespace opyard::agents
