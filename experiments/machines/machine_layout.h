// The places of the devices, switches and buses of a machine in a drawing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// A rectangle, by its centre, in pixels; y grows downwards.
struct Placement2d {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
};

// A frame around the nodes whose names begin alike: "node0".
struct LayoutFrame {
  std::string title;
  Placement2d place;
};

struct MachineLayout {
  // Devices, switches, then buses (links of more than two nodes, in their order).
  std::vector<Placement2d> nodes;
  std::vector<std::string> labels;  // their names, within a frame without its title
  std::vector<LayoutFrame> frames;
  // Devices of a frame stand in rows and columns, since they are too many for one row.
  bool is_grid = false;
  double device_pitch = 0.0;  // from one device of a row to the next
  double width = 0.0;
  double height = 0.0;
};

// Accelerators stand in rows, switches and hosts above them by their distance, switches that only
// accelerators are linked to below; a router beside its device. A box of each `nodes` entry,
// known by the names, is laid out alone. Equal machines have equal layouts. O(links · columns).
[[nodiscard]] MachineLayout LayOut(const sim::HardwareProfile& machine);

}  // namespace opyard::experiments
