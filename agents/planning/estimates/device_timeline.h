// The busy and idle times of one device while a schedule is being built.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/base/units.h"

namespace opyard::agents {

// Starts idle for ever. Holds idle gaps only, so that adjoining work costs nothing to keep, in
// blocks that know their longest: thousands of gaps that are too short are passed over together.
class DeviceTimeline {
 public:
  DeviceTimeline();

  // The earliest start ≥ `ready` of work of `duration` in an idle gap. O(blocks).
  [[nodiscard]] SimTime EarliestInsertion(SimTime ready, SimTime duration) const;
  // The position of a search, in one search for a start that several timelines share.
  struct Place {
    std::size_t block = 0;
    std::size_t gap = 0;
  };
  [[nodiscard]] Place PlaceOf(SimTime ready) const;
  // As above, and moves `place` to where it found room. REQUIRES: `place` came of a `ready` that
  // was no later, and nothing was occupied since.
  [[nodiscard]] SimTime EarliestInsertion(SimTime ready, SimTime duration, Place& place) const;
  // The earliest start ≥ `ready` after all work so far.
  [[nodiscard]] SimTime EarliestAppend(SimTime ready) const;
  // Makes [start, start + duration) busy. REQUIRES: it is idle.
  void Occupy(SimTime start, SimTime duration);
  // Makes all of it idle.
  void Clear();

 private:
  // Idle in [start, end); never empty; sorted; the last one is endless.
  struct Gap {
    SimTime start;
    SimTime end;
  };
  // Gaps one after the other: gaps_[first, first + size). Never empty.
  struct Block {
    SimTime end;      // end of the last gap
    SimTime longest;  // duration of the longest gap
    std::size_t first = 0;
    std::size_t size = 0;
  };

  [[nodiscard]] std::size_t FirstBlockEndingAfter(SimTime time) const;
  [[nodiscard]] std::size_t FirstGapEndingAfter(const Block& block, SimTime time) const;
  void Replace(std::size_t block, std::size_t gap, Gap before, Gap after);
  void Split(std::size_t block);
  void Measure(Block& block) const;

  std::vector<Gap> gaps_;      // room for kMostGaps per block, in the order in which blocks began
  std::vector<Block> blocks_;  // by time
};

}  // namespace opyard::agents
