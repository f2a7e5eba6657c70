#include "agents/learned/doppler/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/learned/doppler/doppler_problems.h"

namespace opyard::agents::doppler {
namespace {

using testing::DiamondAndOne;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using testing::kPerOp;
using testing::kUs;
using ::testing::Pointwise;
using testing::UnevenOp;

class DopplerScheduleTest : public ::testing::Test {
 protected:
  std::shared_ptr<const env::Problem> problem_ = DiamondAndOne();
  View view_ = MakeView(*problem_, kPerOp);

  [[nodiscard]] PartialSchedule Schedule(bool faithful) const {
    return {view_.graph, view_.transfers, faithful};
  }
};

std::vector<float> FeaturesOf(const PartialSchedule& schedule, std::int64_t node) {
  std::vector<float> features;
  schedule.AppendDeviceFeatures(node, kUs, features);
  return features;
}

TEST_F(DopplerScheduleTest, ANodeIsReadyWhenItsProducersArePlaced) {
  PartialSchedule schedule = Schedule(false);
  EXPECT_THAT(schedule.ready(), ElementsAre(0, 4));
  schedule.Place(0, 0);
  EXPECT_THAT(schedule.ready(), ElementsAre(4, 1, 2));
  schedule.Place(1, 0);
  schedule.Place(2, 1);
  EXPECT_THAT(schedule.ready(), ElementsAre(4, 3));
}

// Device 0 runs a from 0 to 2 and then b until 12. Node c, which takes 5, could start there at 12,
// or on device 1 at 2 + 4. Of the 1 MB of device 0, a and b hold 6000 bytes; c needs 1000 more.
TEST_F(DopplerScheduleTest, DevicesSayWhatTheyHaveAndWhenANodeCouldRun) {
  PartialSchedule schedule = Schedule(false);
  schedule.Place(0, 0);
  schedule.Place(1, 0);
  EXPECT_THAT(FeaturesOf(schedule, 2),
              Pointwise(FloatEq(),
                        {12.0F,
                         2.0F,
                         0.0F,
                         2.0F,
                         12.0F,
                         5.0F,
                         17.0F,
                         0.007F,  //
                         0.0F,
                         0.0F,
                         0.0F,
                         0.0F,
                         6.0F,
                         5.0F,
                         11.0F,
                         0.001F}));
}

// Where starts wait for inputs, c runs on device 1 from 6 to 11. As published, it runs there from
// 0, when the device has done nothing, to 5. Node d waits for b, until 12, and for c with 1 more on
// the other device.
TEST_F(DopplerScheduleTest, PublishedStartsDoNotWaitForInputs) {
  for (const bool faithful : {false, true}) {
    PartialSchedule schedule = Schedule(faithful);
    schedule.Place(0, 0);
    schedule.Place(1, 0);
    schedule.Place(2, 1);
    const std::vector<float> features = FeaturesOf(schedule, 3);
    const std::size_t second = features.size() / 2;
    EXPECT_FLOAT_EQ(features[second + 1], 5.0F);
    EXPECT_FLOAT_EQ(features[second + 2], faithful ? 0.0F : 6.0F);
    EXPECT_FLOAT_EQ(features[second + 3], faithful ? 5.0F : 11.0F);
    EXPECT_FLOAT_EQ(features[4], 12.0F);
    EXPECT_FLOAT_EQ(features[second + 4], 12.0F);
  }
}

TEST_F(DopplerScheduleTest, TheTeacherTakesTheNodeOfTheLongestPath) {
  std::vector<float> is_critical;
  // Bottom levels: e 1, b 13, c 9.
  AppendCritical(std::vector<std::int64_t>{4, 1, 2}, view_.bottom_levels, is_critical);
  EXPECT_THAT(is_critical, ElementsAre(0.0F, 1.0F, 0.0F));
}

TEST_F(DopplerScheduleTest, TheTeacherTakesTheDeviceOfTheEarliestEnd) {
  PartialSchedule schedule = Schedule(false);
  schedule.Place(0, 0);
  schedule.Place(1, 0);
  std::vector<float> is_earliest;
  AppendEarliest(schedule, 2, is_earliest);  // ends at 17 or at 11
  EXPECT_THAT(is_earliest, ElementsAre(0.0F, 1.0F));
}

// Both start at 0; the second device is faster.
TEST(DopplerTeacherTest, ThePublishedOneComparesStartsAlone) {
  const auto problem = testing::MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {9, 2})}),
                                            opyard::testing::MeshMachine(2));
  const View view = MakeView(*problem, kPerOp);
  for (const bool faithful : {false, true}) {
    const PartialSchedule schedule(view.graph, view.transfers, faithful);
    std::vector<float> is_earliest;
    AppendEarliest(schedule, 0, is_earliest);
    EXPECT_THAT(is_earliest, ElementsAre(faithful ? 1.0F : 0.0F, 1.0F));
  }
}

// Two ops of 600 kB on devices of 1 MB, of which the second is the faster: both would go there.
TEST(DopplerTeacherTest, AFullDeviceIsTakenWhereNoneHasRoomAlone) {
  std::vector<sim::OpSpec> ops = {
      UnevenOp("a", {9, 2}), UnevenOp("b", {9, 2}), UnevenOp("c", {9, 2})};
  for (sim::OpSpec& op : ops) {
    op.param_bytes = Bytes{600'000};
  }
  const auto problem = testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                                            opyard::testing::MeshMachine(2));
  const View view = MakeView(*problem, kPerOp);
  PartialSchedule schedule(view.graph, view.transfers, false);
  schedule.Place(0, 1);
  std::vector<float> is_earliest;
  AppendEarliest(schedule, 1, is_earliest);
  EXPECT_THAT(is_earliest, ElementsAre(1.0F, 0.0F));
  schedule.Place(1, 0);
  is_earliest.clear();
  AppendEarliest(schedule, 2, is_earliest);  // at 2 + 2, not at 9 + 9
  EXPECT_THAT(is_earliest, ElementsAre(0.0F, 1.0F));
}

}  // namespace
}  // namespace opyard::agents::doppler
