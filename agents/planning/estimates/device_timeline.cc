#include "agents/planning/estimates/device_timeline.h"

#include <algorithm>
#include <limits>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

constexpr SimTime kEndless{std::numeric_limits<std::int64_t>::max()};
constexpr std::size_t kMostGaps = 64;  // of a block

}  // namespace

DeviceTimeline::DeviceTimeline() {
  Clear();
}

void DeviceTimeline::Clear() {
  gaps_.resize(kMostGaps);
  gaps_.front() = {.start = SimTime{}, .end = kEndless};
  blocks_.assign(1, {.end = kEndless, .longest = kEndless, .first = 0, .size = 1});
}

std::size_t DeviceTimeline::FirstBlockEndingAfter(SimTime time) const {
  const auto it = std::ranges::upper_bound(blocks_, time, {}, &Block::end);
  return static_cast<std::size_t>(it - blocks_.begin());
}

std::size_t DeviceTimeline::FirstGapEndingAfter(const Block& block, SimTime time) const {
  std::size_t gap = block.first;
  for (std::size_t left = block.size; left > 1;) {
    const std::size_t half = left / 2;
    gap = gaps_[gap + half - 1].end > time ? gap : gap + half;
    left -= half;
  }
  return gap;
}

DeviceTimeline::Place DeviceTimeline::PlaceOf(SimTime ready) const {
  const std::size_t block = FirstBlockEndingAfter(ready);
  return {.block = block, .gap = FirstGapEndingAfter(blocks_[block], ready)};
}

SimTime DeviceTimeline::EarliestInsertion(SimTime ready, SimTime duration) const {
  Place place = PlaceOf(ready);
  return EarliestInsertion(ready, duration, place);
}

SimTime DeviceTimeline::EarliestInsertion(SimTime ready, SimTime duration, Place& place) const {
  const SimTime room = std::max(duration, SimTime{1});  // a gap ends after what starts in it
  for (;;) {
    const Block& block = blocks_[place.block];
    for (; place.gap < block.first + block.size; ++place.gap) {
      const SimTime start = std::max(gaps_[place.gap].start, ready);
      if (start + room <= gaps_[place.gap].end) {
        return start;
      }
    }
    do {
      ++place.block;
    } while (blocks_[place.block].longest < room || blocks_[place.block].end <= ready);
    place.gap = blocks_[place.block].first;
  }
}

SimTime DeviceTimeline::EarliestAppend(SimTime ready) const {
  const Block& last = blocks_.back();
  return std::max(gaps_[last.first + last.size - 1].start, ready);
}

void DeviceTimeline::Occupy(SimTime start, SimTime duration) {
  if (duration == SimTime{}) {
    return;
  }
  const std::size_t block = FirstBlockEndingAfter(start);
  const std::size_t gap = FirstGapEndingAfter(blocks_[block], start);
  const Gap idle = gaps_[gap];
  const SimTime end = start + duration;
  OPYARD_CHECK(idle.start <= start && end <= idle.end, "work must lie in an idle gap");
  Replace(block, gap, {.start = idle.start, .end = start}, {.start = end, .end = idle.end});
}

// Puts those of `before` and `after` that are not empty in the place of `gap`.
void DeviceTimeline::Replace(std::size_t block, std::size_t gap, Gap before, Gap after) {
  const auto at = gaps_.begin() + static_cast<std::ptrdiff_t>(gap);
  const auto end =
      gaps_.begin() + static_cast<std::ptrdiff_t>(blocks_[block].first + blocks_[block].size);
  const bool was_longest = at->end - at->start == blocks_[block].longest;
  if (before.start < before.end && after.start < after.end) {
    std::copy_backward(at + 1, end, end + 1);
    at[0] = before;
    at[1] = after;
    ++blocks_[block].size;
  } else if (before.start < before.end) {
    *at = before;
  } else if (after.start < after.end) {
    *at = after;
  } else {
    std::copy(at + 1, end, at);
    --blocks_[block].size;
  }
  if (blocks_[block].size == 0) {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(block));
  } else if (blocks_[block].size == kMostGaps) {
    Split(block);
  } else if (was_longest) {
    Measure(blocks_[block]);
  } else {
    blocks_[block].end = gaps_[blocks_[block].first + blocks_[block].size - 1].end;
  }
}

// Moves the later half of a block to one of its own.
void DeviceTimeline::Split(std::size_t block) {
  Block& earlier = blocks_[block];
  Block later{.end = {}, .longest = {}, .first = gaps_.size(), .size = earlier.size / 2};
  earlier.size -= later.size;
  gaps_.resize(gaps_.size() + kMostGaps);
  const auto from = gaps_.begin() + static_cast<std::ptrdiff_t>(earlier.first + earlier.size);
  std::copy_n(from, later.size, gaps_.begin() + static_cast<std::ptrdiff_t>(later.first));
  Measure(earlier);
  Measure(later);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, later);
}

void DeviceTimeline::Measure(Block& block) const {
  block.longest = SimTime{};
  for (std::size_t gap = block.first; gap < block.first + block.size; ++gap) {
    block.longest = std::max(block.longest, gaps_[gap].end - gaps_[gap].start);
  }
  block.end = gaps_[block.first + block.size - 1].end;
}

}  // namespace opyard::agents
