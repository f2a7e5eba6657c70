#include "experiments/store/trainings_table.h"

#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "tests/experiments/store/records.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using opyard::testing::TemporaryFolder;

StoredTraining TrainingOf(const std::string& agent) {
  return {.agent = agent,
          .agent_name = "n",
          .params = "{}",
          .settings = R"({"updates":5})",
          .num_updates = 5,
          .evaluations = 7,
          .seconds = 0.25,
          .cpu_seconds = 0.5,
          .weights = "training/a/weights.opyard",
          .weights_sha256 = "abc",
          .version = "1",
          .reproduce = "opyard train"};
}

TEST(TrainingsTableTest, ATrainingIsReadAsItWasKept) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  StoredTraining training = TrainingOf("a");
  training.id = store.Keep(training);
  EXPECT_EQ(store.Trainings(), std::vector{training});
}

TEST(TrainingsTableTest, ASecondTrainingOfALabelTakesThePlaceAndTheNumberOfTheFirst) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  const std::int64_t id = store.Keep(TrainingOf("a"));
  EXPECT_NE(store.Keep(TrainingOf("b")), id);
  StoredTraining again = TrainingOf("a");
  again.cpu_seconds = 9.0;
  EXPECT_EQ(store.Keep(again), id);
  ASSERT_EQ(store.Trainings().size(), 2U);
  EXPECT_EQ(store.Trainings()[0].cpu_seconds, 9.0);
}

TEST(TrainingsTableTest, ARunNamesTheTrainingThatItBeganWith) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  RunRecord run = Record(0);
  run.training_id = store.Keep(TrainingOf("a[x=1]"));
  store.Add(run);
  store.Add(Record(1));
  EXPECT_EQ(store.Runs()[0].record.training_id, run.training_id);
  EXPECT_EQ(store.Runs()[1].record.training_id, std::nullopt);
}

TEST(TrainingsTableTest, BoundsAreReadSortedAndANewerOneTakesThePlaceOfTheOlder) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  const StoredBound first{"g", "m", "proven_optimum", SimTime{9'007'199'254'740'993}, "t.csv"};
  const StoredBound second{"g", "m", "lower_bound", SimTime{3}, "opyard"};
  store.Keep(std::vector{first, second});
  EXPECT_EQ(store.Bounds(), (std::vector{second, first}));
  const StoredBound newer{"g", "m", "lower_bound", SimTime{2}, "opyard 2"};
  store.Keep(std::vector{newer});
  EXPECT_EQ(store.Bounds(), (std::vector{newer, first}));
}

TEST(TrainingsTableTest, WhatIsKnownOfTheExperimentIsKept) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {.experiment = "e"});
  EXPECT_EQ(store.Info().matrix, "");
  store.Keep(StoreInfo{.experiment = "e",
                       .experiment_folder = "..",
                       .resolved = "{}",
                       .matrix = "[]",
                       .shard = "1/2"});
  const StoreInfo info = ResultStore::OpenToRead(folder.path()).Info();
  EXPECT_EQ(info.experiment_folder, "..");
  EXPECT_EQ(info.resolved, "{}");
  EXPECT_EQ(info.matrix, "[]");
  EXPECT_EQ(info.shard, "1/2");
}

}  // namespace
}  // namespace opyard::experiments
