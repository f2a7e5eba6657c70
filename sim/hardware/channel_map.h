// The channels of a machine, and which of them each route occupies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"

namespace opyard::sim {

// Gives channels their numbers in the order they are first asked for. Names: "LINK>" from the first
// to the second node of a full-duplex link, "LINK<" back, "LINK" for a half-duplex one,
// "egress:DEVICE", "ingress:DEVICE", "pair:SRC>DST".
class ChannelMap {
 public:
  explicit ChannelMap(const HardwareProfile& hardware) : hardware_(hardware) {}

  // The channels that a transfer over `route` occupies (serial) or shares (fair: its links), each
  // once, ascending; none where nothing is contended.
  [[nodiscard]] std::vector<std::int32_t> Occupied(const Route& route, DeviceId src, DeviceId dst);
  // The bandwidths of links; 0 for channels that are none. Indexed as names().
  [[nodiscard]] const std::vector<double>& bandwidths() const { return bandwidths_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::int32_t Number(const std::string& name, double bandwidth_bytes_per_s = 0.0);

  const HardwareProfile& hardware_;
  std::map<std::string, std::int32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<double> bandwidths_;
};

}  // namespace opyard::sim
