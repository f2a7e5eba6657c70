#include "agents/planning/estimates/device_timeline.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"

namespace opyard::agents {
namespace {

// Busy in [3, 5) and [10, 20).
DeviceTimeline Busy() {
  DeviceTimeline timeline;
  timeline.Occupy(SimTime{10}, SimTime{10});
  timeline.Occupy(SimTime{3}, SimTime{2});
  return timeline;
}

// The same with one flag per picosecond, which asks each of them in turn.
class PlainTimeline {
 public:
  [[nodiscard]] SimTime EarliestInsertion(SimTime ready, SimTime duration) const {
    SimTime start = ready;
    while (!IsIdle(start, std::max(duration, SimTime{1}))) {
      start += SimTime{1};
    }
    return start;
  }
  void Occupy(SimTime start, SimTime duration) {
    for (std::int64_t t = start.picoseconds; t < (start + duration).picoseconds; ++t) {
      is_busy_[static_cast<std::size_t>(t)] = 1;
    }
  }

 private:
  [[nodiscard]] bool IsIdle(SimTime start, SimTime duration) const {
    const auto first = is_busy_.begin() + start.picoseconds;
    return std::count(first, first + duration.picoseconds, 1) == 0;
  }

  std::vector<std::uint8_t> is_busy_ = std::vector<std::uint8_t>(20'000, 0);
};

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

// Single picoseconds scattered over 4000 leave hundreds of gaps, and so several blocks of them;
// what comes after has to find those that are long enough, and fills them one by one.
TEST(DeviceTimelineTest, AgreesWithATimelineThatAsksEveryPicosecond) {
  DeviceTimeline timeline;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rng rng(seed);
    PlainTimeline plain;
    timeline.Clear();
    for (int step = 0; step < 1500; ++step) {
      const SimTime ready{rng.Between(0, 4000)};
      const SimTime duration{step < 600 ? 1 : rng.Between(0, 7)};
      const SimTime start = timeline.EarliestInsertion(ready, duration);
      ASSERT_EQ(start, plain.EarliestInsertion(ready, duration)) << seed << " " << step;
      timeline.Occupy(start, duration);
      plain.Occupy(start, duration);
    }
  }
}

// As for a start that several timelines share: each search begins where the last one ended.
TEST(DeviceTimelineTest, LookingOnFromAPlaceFindsWhatANewSearchFinds) {
  DeviceTimeline timeline;
  Rng rng(1);
  for (int step = 0; step < 600; ++step) {
    timeline.Occupy(timeline.EarliestInsertion(SimTime{rng.Between(0, 4000)}, SimTime{1}),
                    SimTime{1});
  }
  for (std::int64_t duration = 0; duration < 20; ++duration) {
    SimTime ready;
    for (DeviceTimeline::Place place = timeline.PlaceOf(ready); ready < SimTime{4000};) {
      const SimTime start = timeline.EarliestInsertion(ready, SimTime{duration}, place);
      ASSERT_EQ(start, timeline.EarliestInsertion(ready, SimTime{duration})) << duration;
      ready = start + SimTime{rng.Between(1, 300)};
    }
  }
}

TEST(DeviceTimelineTest, IsIdleForEverOnceCleared) {
  DeviceTimeline timeline = Busy();
  timeline.Clear();
  EXPECT_EQ(timeline.EarliestAppend(SimTime{2}), SimTime{2});
  EXPECT_EQ(timeline.EarliestInsertion(SimTime{4}, SimTime{9}), SimTime{4});
}

TEST(DeviceTimelineTest, BusyTimeCannotBeOccupied) {
  DeviceTimeline timeline = Busy();
  EXPECT_THROW(timeline.Occupy(SimTime{4}, SimTime{2}), InternalError);
}

}  // namespace
}  // namespace opyard::agents
