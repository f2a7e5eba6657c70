#include "sim/engine/lowering/copy_times.h"

#include <algorithm>

namespace opyard::sim {

std::vector<CopyOverhead> CopyOverheadsOf(const HardwareProfile& hardware) {
  std::vector<CopyOverhead> overheads;
  if (std::ranges::none_of(hardware.devices, HasCopyOverhead)) {
    return overheads;
  }
  for (const Device& device : hardware.devices) {
    const double bandwidth = device.copy_bandwidth_bytes_per_s;
    overheads.push_back(
        {.fixed_s = device.copy_overhead_s, .s_per_byte = bandwidth > 0.0 ? 1.0 / bandwidth : 0.0});
  }
  return overheads;
}

double LongestOverheadPs(std::span<const CopyOverhead> overheads, double bytes) {
  double longest_s = 0.0;
  for (const CopyOverhead& overhead : overheads) {
    longest_s = std::max(longest_s, overhead.fixed_s + overhead.s_per_byte * bytes);
  }
  return 2.0 * longest_s * 1e12;
}

}  // namespace opyard::sim
