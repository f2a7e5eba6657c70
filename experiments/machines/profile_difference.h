// Differences between two devices or two machines, by what the simulator reads of them.
#pragma once

#include <string>
#include <vector>

#include "experiments/machines/profile_reading.h"

namespace opyard::experiments {

// A value under one key of a profile file, of one or more items of a list, in base units and with
// all digits: "10000000000 B/s". "" where it is not there.
struct ProfileChange {
  std::string section;             // "devices", "links", "routes"; "" for the profile itself
  std::vector<std::string> names;  // of the items, which change alike: "gpu0", "gpu1"
  std::string key;                 // "cost.gemm.f32.e_max"
  std::string before;
  std::string after;
};

struct ProfileDifference {
  std::vector<std::string> only_before;  // "devices.gpu2", "switches.hub"
  std::vector<std::string> only_after;
  std::vector<ProfileChange> changes;
  // Items that both have stand in another order, which decides ties.
  bool has_other_order = false;

  [[nodiscard]] bool is_empty() const {
    return only_before.empty() && only_after.empty() && changes.empty() && !has_other_order;
  }
};

// Items of lists are the same if their names are. Device types, shorthands and defaults are
// resolved, a route that is the cheapest anyway is none. Names of profiles and their provenance do
// not count. Throws InputError if one is a device and the other a machine.
[[nodiscard]] ProfileDifference CompareProfiles(const ProfileReading& before,
                                                const ProfileReading& after);

// "gpu0, gpu1: memory", "rules": what changes.
[[nodiscard]] std::string PlaceText(const ProfileChange& change);

// The value in the unit that people use, "10 GB/s", or with all its digits where that would show
// both alike.
[[nodiscard]] std::string BeforeText(const ProfileChange& change);
[[nodiscard]] std::string AfterText(const ProfileChange& change);

}  // namespace opyard::experiments
