// A row of stages, such as the layers of a network, cut into one block per device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace opyard::agents {

// The load of one stage on a device.
struct StageLoad {
  double seconds = 0.0;  // on a device of speed 1
  double bytes = 0.0;
};

struct BlockDevice {
  double speed = 1.0;
  double room_bytes = 0.0;
};

// The device of each stage, [num_stages]: stages next to each other, devices in order, none of them
// left out where there are stages enough. The worst block is as good as it can be: blocks that fit
// their device's room first, then by time; those that do not, by how often they would fill the
// room. O(stages · devices · log stages).
[[nodiscard]] std::vector<std::size_t> BalancedBlocks(std::span<const StageLoad> stages,
                                                      std::span<const BlockDevice> devices);

}  // namespace opyard::agents
