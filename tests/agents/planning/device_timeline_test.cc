#include "agents/planning/device_timeline.h"

#include <gtest/gtest.h>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

// Busy in [3, 5) and [10, 20).
DeviceTimeline Busy() {
  DeviceTimeline timeline;
  timeline.Occupy(SimTime{10}, SimTime{10});
  timeline.Occupy(SimTime{3}, SimTime{2});
  return timeline;
}

TEST(DeviceTimelineTest, InsertsIntoTheFirstGapThatIsLongEnough) {
  EXPECT_EQ(Busy().EarliestInsertion(SimTime{0}, SimTime{3}), SimTime{0});
  EXPECT_EQ(Busy().EarliestInsertion(SimTime{0}, SimTime{4}), SimTime{5});
  EXPECT_EQ(Busy().EarliestInsertion(SimTime{0}, SimTime{6}), SimTime{20});
}

TEST(DeviceTimelineTest, CountsAGapFromWhenTheWorkIsReady) {
  EXPECT_EQ(Busy().EarliestInsertion(SimTime{1}, SimTime{2}), SimTime{1});
  EXPECT_EQ(Busy().EarliestInsertion(SimTime{1}, SimTime{3}), SimTime{5});
  EXPECT_EQ(Busy().EarliestInsertion(SimTime{7}, SimTime{3}), SimTime{7});
  EXPECT_EQ(Busy().EarliestInsertion(SimTime{8}, SimTime{3}), SimTime{20});
}

TEST(DeviceTimelineTest, AppendsAfterAllWork) {
  EXPECT_EQ(Busy().EarliestAppend(SimTime{0}), SimTime{20});
  EXPECT_EQ(Busy().EarliestAppend(SimTime{25}), SimTime{25});
  EXPECT_EQ(DeviceTimeline().EarliestAppend(SimTime{2}), SimTime{2});
}

TEST(DeviceTimelineTest, WorkThatFillsAGapLeavesNone) {
  DeviceTimeline timeline = Busy();
  timeline.Occupy(SimTime{5}, SimTime{5});
  timeline.Occupy(SimTime{0}, SimTime{3});
  EXPECT_EQ(timeline.EarliestInsertion(SimTime{0}, SimTime{1}), SimTime{20});
}

TEST(DeviceTimelineTest, WorkWithoutDurationTakesNoRoomButWaitsForIdleTime) {
  DeviceTimeline timeline = Busy();
  timeline.Occupy(SimTime{1}, SimTime{0});
  EXPECT_EQ(timeline.EarliestInsertion(SimTime{0}, SimTime{3}), SimTime{0});
  EXPECT_EQ(timeline.EarliestInsertion(SimTime{12}, SimTime{0}), SimTime{20});
}

TEST(DeviceTimelineTest, BusyTimeCannotBeOccupied) {
  DeviceTimeline timeline = Busy();
  EXPECT_THROW(timeline.Occupy(SimTime{4}, SimTime{2}), InternalError);
}

}  // namespace
}  // namespace opyard::agents
