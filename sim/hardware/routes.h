// Which links a transfer takes between two devices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

class MachineGraph;

// One link in one direction. `is_reversed` is false from link.between[0] to between[1]; a
// half-duplex link has one direction only and never says true.
struct LinkDirection {
  std::int32_t link = 0;
  bool is_reversed = false;
  friend bool operator==(const LinkDirection&, const LinkDirection&) = default;
};

// The largest machine that a profile may describe.
inline constexpr std::size_t kMostDevices = 1024;
// The longest route: what bounds the memory of all of them.
inline constexpr std::size_t kMostHops = 64;

struct Route {
  std::vector<LinkDirection> hops;     // in order of travel
  SimTime latency;                     // sum over the hops, or what the file says
  double bandwidth_bytes_per_s = 0.0;  // the least of the hops
};

// The hops of `route` in order of travel, or nothing if its links do not lead from its start to its
// end through switches only.
[[nodiscard]] std::optional<std::vector<LinkDirection>> FollowLinks(const HardwareProfile& profile,
                                                                    const ExplicitRoute& route);

// The routes of all ordered device pairs: O(devices²) of memory, which is why the profile reader
// stops at kMostDevices.
class RouteTable {
 public:
  // Explicit routes where the profile has them, else the route with the least sum over its links of
  // (latency + 1 MiB / bandwidth), through switches only: devices never forward. Ties go to fewer
  // hops, then to the lexicographically first sequence of links, in order of travel and counted as
  // they stand in the file. An explicit route holds for the stated direction only. Throws
  // InputError if one does not lead from its start to its end through switches, if a route takes
  // more than kMostHops, or if a latency does not fit SimTime.
  explicit RouteTable(const HardwareProfile& profile);

  // Null if no route exists, and for src == dst.
  [[nodiscard]] const Route* Find(DeviceId src, DeviceId dst) const;

 private:
  void AddCheapestRoutes(const HardwareProfile& profile, const MachineGraph& graph, DeviceId src);
  void AddExplicitRoute(const HardwareProfile& profile, const ExplicitRoute& explicit_route);
  [[nodiscard]] std::size_t Slot(DeviceId src, DeviceId dst) const {
    return src.index() * num_devices_ + dst.index();
  }

  std::size_t num_devices_;
  std::vector<std::optional<Route>> routes_;  // [num_devices, num_devices] row-major
};

}  // namespace opyard::sim
