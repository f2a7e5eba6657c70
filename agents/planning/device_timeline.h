// The busy and idle times of one device while a schedule is being built.
#pragma once

#include <vector>

#include "sim/base/units.h"

namespace opyard::agents {

// Starts idle for ever. Holds idle gaps only, so that adjoining work costs nothing to keep.
class DeviceTimeline {
 public:
  DeviceTimeline();

  // The earliest start ≥ `ready` of work of `duration` in an idle gap. O(gaps).
  [[nodiscard]] SimTime EarliestInsertion(SimTime ready, SimTime duration) const;
  // The earliest start ≥ `ready` after all work so far.
  [[nodiscard]] SimTime EarliestAppend(SimTime ready) const;
  // Makes [start, start + duration) busy. REQUIRES: it is idle.
  void Occupy(SimTime start, SimTime duration);

 private:
  // Idle in [start, end); never empty; sorted; the last one is endless.
  struct Gap {
    SimTime start;
    SimTime end;
  };

  [[nodiscard]] std::size_t FirstGapEndingAfter(SimTime time) const;

  std::vector<Gap> gaps_;
};

}  // namespace opyard::agents
