// The fixture that the tests of all trainers share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "agents/base/trainer.h"
#include "env/problem_pool.h"
#include "tests/agents/learned/training_pool.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents::testing {

// Trainers are made from their settings and a plan, and are trained on TreePool.
template <class AgentTrainer, class Settings>
class TrainerTest : public ::testing::Test {
 protected:
  // The bytes of what the trainer's weights are written as.
  std::string WeightsOf(const Trainer& trainer) {
    trainer.SaveWeights(folder_.path() / "weights", {});
    return BytesOf(folder_.path() / "weights");
  }

  // Stops a training of plan.num_updates after each number of `stops`, and goes on with what it
  // saved.
  void ExpectEqualWeightsOnceLoaded(const Settings& settings,
                                    const TrainingPlan& plan,
                                    const std::vector<std::int64_t>& stops) {
    AgentTrainer whole(settings, plan);
    env::ProblemPool pool = TreePool();
    Train(whole, pool, plan.num_updates);
    for (const std::int64_t stop : stops) {
      SCOPED_TRACE(stop);
      AgentTrainer first(settings, plan);
      env::ProblemPool first_pool = TreePool();
      Train(first, first_pool, stop);
      first.Save(folder_.path() / "state", {{"note", "of a few words"}});
      AgentTrainer second(settings, plan);
      EXPECT_EQ(second.Load(folder_.path() / "state"),
                (TrainingRecord{{"note", "of a few words"}}));
      EXPECT_EQ(second.num_updates(), stop);
      env::ProblemPool second_pool = TreePool();
      Train(second, second_pool, plan.num_updates);
      EXPECT_EQ(WeightsOf(second), WeightsOf(whole));
    }
  }

  void ExpectAnInterruptMakesNoUpdate(const Settings& settings, const TrainingPlan& plan) {
    InterruptFlag interrupt;
    env::ProblemPool pool = TreePool(1, &interrupt);
    AgentTrainer trainer(settings, plan);
    Train(trainer, pool, 2);
    const std::string before = WeightsOf(trainer);
    interrupt.Raise();
    Rng rng(1);
    EXPECT_FALSE(trainer.Update(pool, rng).has_value());
    EXPECT_EQ(trainer.num_updates(), 2);
    EXPECT_EQ(WeightsOf(trainer), before);
  }

  opyard::testing::TemporaryFolder folder_;
};

}  // namespace opyard::agents::testing
