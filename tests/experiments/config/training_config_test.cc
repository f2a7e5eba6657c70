#include "experiments/config/training_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/config/read_experiment.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::Read;
using testing::Workplace;

TEST(TrainingConfigTest, ASplitSaysWhatIsTrainedOnAndWhatIsTested) {
  const Workplace place;
  const ExperimentConfig config =
      Read(place,
           {"split={train: [tiny.graph.json, {graph: 'random:layered?seed={i}', count: 20, weight: "
            "2.5}], test: [a, b]}",
            "training={updates: 7, save_seconds: 0.5}"});

  ASSERT_EQ(config.training.graphs.size(), 2U);
  EXPECT_EQ(config.training.graphs[0].graph, "tiny.graph.json");
  EXPECT_EQ(config.training.graphs[0].count, 1);
  EXPECT_EQ(config.training.graphs[0].weight, 1.0);
  EXPECT_EQ(config.training.graphs[1].count, 20);
  EXPECT_EQ(config.training.graphs[1].weight, 2.5);
  EXPECT_EQ(config.training.num_updates, 7);
  EXPECT_EQ(config.training.save_seconds, 0.5);
  EXPECT_THAT(config.graphs, ElementsAre("a", "b"));
}

TEST(TrainingConfigTest, WithoutASplitNothingIsTrainedOn) {
  const Workplace place;
  EXPECT_TRUE(Read(place).training.graphs.empty());
}

TEST(TrainingConfigTest, AFamilyNeedsAPlaceForTheNumberOfAMember) {
  const Workplace place;
  EXPECT_THAT(ErrorOf(place, {"split={train: [{graph: 'random:layered', count: 20}]}"}),
              HasSubstr("with count 20, expected {i} in it"));
}

TEST(TrainingConfigTest, WhatIsWrongIsReportedWithItsRange) {
  const Workplace place;
  EXPECT_THAT(ErrorOf(place, {"split={test: [a]}"}), HasSubstr("train"));
  EXPECT_THAT(ErrorOf(place, {"split={train: []}"}), HasSubstr("found 0 entries"));
  EXPECT_THAT(ErrorOf(place, {"split={train: [{graph: a, weight: 0}]}"}), HasSubstr("from 1e-09"));
  EXPECT_THAT(ErrorOf(place, {"training={updates: 0}"}), HasSubstr("whole number from 1"));
  EXPECT_THAT(ErrorOf(place, {"training={update: 5}"}), HasSubstr("update"));
}

TEST(TrainingConfigTest, ListsOfTasksAreReadInTheirOrder) {
  const Workplace place;
  const TrainingConfig training =
      Read(place, {"training={tasks: [[placement], [fusion, placement]]}"}).training;
  EXPECT_THAT(training.tasks,
              ElementsAre(env::TaskSet{.placement = true},
                          env::TaskSet{.placement = true, .fusion = true}));
  EXPECT_EQ(TrainingTasksJson(training), R"(["placement","placement,fusion"])");
  EXPECT_TRUE(Read(place).training.tasks.empty());
  EXPECT_EQ(TrainingTasksJson({}), "[]");
}

TEST(TrainingConfigTest, AListOfTasksIsThereOnceAndHasKnownWords) {
  const Workplace place;
  EXPECT_THAT(ErrorOf(place, {"training={tasks: [[placement, fusion], [fusion, placement]]}"}),
              HasSubstr("tasks: found placement,fusion again, expected it once"));
  EXPECT_THAT(ErrorOf(place, {"training={tasks: [[placment]]}"}), HasSubstr("placment"));
  EXPECT_THAT(ErrorOf(place, {"training={tasks: []}"}), HasSubstr("found 0 entries"));
  EXPECT_THAT(ErrorOf(place, {"training={tasks: [[]]}"}), HasSubstr("tasks"));
}

TEST(TrainingConfigTest, TheNumberOfAMemberStandsWhereItIsAskedFor) {
  const TrainingGraphFamily family{.graph = "variant:{i}:zoo:x?seed={i}", .count = 12, .place = ""};
  EXPECT_EQ(NameOfMember(family, 11), "variant:11:zoo:x?seed=11");
  EXPECT_EQ(NameOfMember({.graph = "gnmt2", .place = ""}, 0), "gnmt2");
}

TEST(TrainingConfigTest, GraphsAreWrittenAsTheyAreAskedFor) {
  EXPECT_EQ(TrainingGraphsJson({.graphs = {{.graph = "g{i}", .weight = 2.0, .count = 3}}}),
            R"([{"graph":"g{i}","weight":2.0,"count":3}])");
}

}  // namespace
}  // namespace opyard::experiments
