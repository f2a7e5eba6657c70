#include "agents/planning/device_timeline.h"

#include <algorithm>
#include <limits>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

constexpr SimTime kEndless{std::numeric_limits<std::int64_t>::max()};

}  // namespace

DeviceTimeline::DeviceTimeline() : gaps_{Gap{.start = SimTime{}, .end = kEndless}} {}

std::size_t DeviceTimeline::FirstGapEndingAfter(SimTime time) const {
  const auto it = std::ranges::upper_bound(gaps_, time, {}, &Gap::end);
  return static_cast<std::size_t>(it - gaps_.begin());
}

SimTime DeviceTimeline::EarliestInsertion(SimTime ready, SimTime duration) const {
  std::size_t i = FirstGapEndingAfter(ready);
  while (std::max(gaps_[i].start, ready) + duration > gaps_[i].end) {
    ++i;
  }
  return std::max(gaps_[i].start, ready);
}

SimTime DeviceTimeline::EarliestAppend(SimTime ready) const {
  return std::max(gaps_.back().start, ready);
}

void DeviceTimeline::Occupy(SimTime start, SimTime duration) {
  if (duration == SimTime{}) {
    return;
  }
  const std::size_t i = FirstGapEndingAfter(start);
  const Gap gap = gaps_[i];
  const SimTime end = start + duration;
  OPYARD_CHECK(gap.start <= start && end <= gap.end, "work must lie in an idle gap");
  std::vector<Gap> rest;
  if (gap.start < start) {
    rest.push_back(Gap{.start = gap.start, .end = start});
  }
  if (end < gap.end) {
    rest.push_back(Gap{.start = end, .end = gap.end});
  }
  const auto at = gaps_.erase(gaps_.begin() + static_cast<std::ptrdiff_t>(i));
  gaps_.insert(at, rest.begin(), rest.end());
}

}  // namespace opyard::agents
