// A cable, bus or fabric port of a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace opyard::sim {

// A node of the machine: devices first, in order, then switches.
using NodeIndex = std::int32_t;

enum class Duplex : std::uint8_t {
  kFull,  // both directions at once, each with the whole bandwidth
  kHalf,  // one channel for both directions; more than two nodes make it a bus
};

struct Link {
  std::string name;
  std::vector<NodeIndex> between;  // two, or more for a bus
  double bandwidth_bytes_per_s = 0.0;
  SimTime latency;
  Duplex duplex = Duplex::kFull;
};

}  // namespace opyard::sim
