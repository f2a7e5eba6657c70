// A rough account of memory for planners that do not simulate.
#pragma once

#include <vector>

#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// The memory of each group if nothing were ever freed: parameters and outputs that own their
// storage. An upper bound of what it adds to its device, but for copies and workspace. [num_groups]
[[nodiscard]] std::vector<Bytes> GroupBytes(const env::Problem& problem);

// Counts those bytes per device against a limit.
class GroupMemory {
 public:
  // The limit of a device is `share` of its capacity; where the groups exceed the devices of the
  // main kind together, capacities there are first scaled up to 1.1 times the sum, so that the
  // excess is shared evenly.
  GroupMemory(const env::Problem& problem, double share);

  [[nodiscard]] bool HasRoom(std::size_t group, DeviceId device) const;
  [[nodiscard]] double RoomLeft(DeviceId device) const;  // bytes; may be negative
  void Add(std::size_t group, DeviceId device);
  void Remove(std::size_t group, DeviceId device);  // REQUIRES: it was added there
  void Clear();                                     // nothing was added

 private:
  std::vector<Bytes> need_;        // [num_groups]
  std::vector<double> limit_;      // [num_devices]
  std::vector<double> room_left_;  // [num_devices]
};

}  // namespace opyard::agents
