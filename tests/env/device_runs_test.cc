#include "env/device_runs.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"

namespace opyard::env {
namespace {

using ::testing::ElementsAre;
using Runs = std::vector<std::size_t>;

// A segment that gains `gain` on `device`, and may run on each of `num_devices`.
Segment On(std::size_t device, std::int64_t gain, std::size_t num_devices) {
  return {.gains = {{.device = device, .gain = gain}},
          .may_run = std::vector<bool>(num_devices, true)};
}

bool IsContiguous(const Runs& runs) {
  std::vector<std::size_t> used;
  for (const std::size_t device : runs) {
    if (used.empty() || used.back() != device) {
      if (std::ranges::find(used, device) != used.end()) {
        return false;
      }
      used.push_back(device);
    }
  }
  return true;
}

std::int64_t GainOf(const std::vector<Segment>& segments, const Runs& runs) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    for (const SegmentGain& gain : segments[i].gains) {
      sum += gain.device == runs[i] ? gain.gain : 0;
    }
  }
  return sum;
}

bool MayRun(const std::vector<Segment>& segments, const Runs& runs) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!segments[i].may_run[runs[i]]) {
      return false;
    }
  }
  return true;
}

// The greatest gain over all assignments that `is_legal` holds for; −1 if there is none.
template <class IsLegal>
std::int64_t BestByBruteForce(const std::vector<Segment>& segments,
                              std::size_t num_devices,
                              const IsLegal& is_legal) {
  Runs runs(segments.size());
  std::int64_t best = -1;
  while (true) {
    if (is_legal(runs) && MayRun(segments, runs)) {
      best = std::max(best, GainOf(segments, runs));
    }
    std::size_t digit = 0;
    while (digit < runs.size() && ++runs[digit] == num_devices) {
      runs[digit++] = 0;
    }
    if (digit == runs.size()) {
      return best;
    }
  }
}

std::vector<Segment> RandomSegments(std::size_t count, std::size_t num_devices, Rng& rng) {
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < count; ++i) {
    Segment segment{.may_run = std::vector<bool>(num_devices, true)};
    for (std::size_t device = 0; device < num_devices; ++device) {
      if (rng.Below(3) > 0) {
        segment.gains.push_back({.device = device, .gain = rng.Between(0, 6)});
      }
      segment.may_run[device] = rng.Below(6) > 0;
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

TEST(BestRunsTest, TheHeavierPartKeepsItsDevice) {
  // 0 1 0: the run of 1 cuts that of 0. All on 0 gains 4 + 5, 1 1 0 gains 3 + 5; then 2 + 5 and 7
  // + 5.
  EXPECT_EQ(BestRuns(std::vector{On(0, 4, 2), On(1, 3, 2), On(0, 5, 2)}, 2), (Runs{0, 0, 0}));
  EXPECT_EQ(BestRuns(std::vector{On(0, 2, 2), On(1, 7, 2), On(0, 5, 2)}, 2), (Runs{1, 1, 0}));
}

TEST(BestRunsTest, TheOrderOfDevicesIsFree) {
  EXPECT_EQ(BestRuns(std::vector{On(2, 1, 3), On(0, 1, 3), On(1, 1, 3)}, 3), (Runs{2, 0, 1}));
}

TEST(BestRunsTest, WithoutAWayThereIsNone) {
  std::vector<Segment> segments = {On(0, 1, 2), On(1, 1, 2), On(0, 1, 2)};
  segments[0].may_run = {true, false};
  segments[1].may_run = {false, true};
  segments[2].may_run = {true, false};
  EXPECT_EQ(BestRuns(segments, 2), std::nullopt);
  EXPECT_EQ(BestRunsInOrder(segments, 2), std::nullopt);
}

TEST(BestRunsTest, IsAsGoodAsEveryAssignmentByBruteForce) {
  int num_without = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const auto num_devices = static_cast<std::size_t>(rng.Between(1, 4));
    const auto segments =
        RandomSegments(static_cast<std::size_t>(rng.Between(1, 6)), num_devices, rng);
    const std::int64_t best = BestByBruteForce(segments, num_devices, IsContiguous);
    const auto runs = BestRuns(segments, num_devices);
    ASSERT_EQ(runs.has_value(), best >= 0) << seed;
    num_without += runs.has_value() ? 0 : 1;
    if (runs.has_value()) {
      EXPECT_TRUE(IsContiguous(*runs)) << seed;
      EXPECT_TRUE(MayRun(segments, *runs)) << seed;
      EXPECT_EQ(GainOf(segments, *runs), best) << seed;
    }
  }
  EXPECT_GT(num_without, 5);
}

TEST(BestRunsInOrderTest, IsAsGoodAsEveryAscendingAssignment) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const auto num_devices = static_cast<std::size_t>(rng.Between(1, 4));
    const auto segments =
        RandomSegments(static_cast<std::size_t>(rng.Between(1, 6)), num_devices, rng);
    const std::int64_t best = BestByBruteForce(
        segments, num_devices, [](const Runs& runs) { return std::ranges::is_sorted(runs); });
    const auto runs = BestRunsInOrder(segments, num_devices);
    ASSERT_EQ(runs.has_value(), best >= 0) << seed;
    if (runs.has_value()) {
      EXPECT_TRUE(std::ranges::is_sorted(*runs)) << seed;
      EXPECT_EQ(GainOf(segments, *runs), best) << seed;
    }
  }
}

TEST(BestRunsInOrderTest, OneRunGoesOnOverAGap) {
  std::vector<Segment> segments = {On(1, 2, 3), On(0, 1, 3), On(1, 2, 3)};
  EXPECT_THAT(*BestRunsInOrder(segments, 3), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace opyard::env
