// Lower bounds from the work between heads and tails of ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opyard::sim {

__extension__ using Wide = __int128;

// What an op needs: it starts no earlier than `head_ps`, and `tail_ps` passes after its end.
struct WorkItem {
  std::int64_t head_ps = 0;
  std::int64_t tail_ps = 0;
  Wide work = 0;  // picoseconds · weight of a device, at least, on whatever device
};

// Devices with a weight each, by which their time counts.
class WeightedDevices {
 public:
  // Of each device; zeros are left out.
  explicit WeightedDevices(std::vector<std::int64_t> weights);

  // The greatest of equation 8d of docs/modelling.md, section 5, over sets of items: for each of
  // `most_heads` heads those that start no earlier, by tails. O(most_heads · items).
  [[nodiscard]] std::int64_t Bound(std::vector<WorkItem> items, std::size_t most_heads) const;

 private:
  class Sweep;
  std::vector<std::int64_t> weights_;  // descending; those from kMostRanks on in one
  std::int64_t total_ = 0;
};

// An op on the one device that it shares with others.
struct OneDeviceOp {
  std::int64_t head_ps = 0;
  std::int64_t time_ps = 0;
  std::int64_t tail_ps = 0;
};
// The end of all ops on one device at the earliest, with their tails, if it may interrupt them:
// Jackson's preemptive schedule. O(n log n) and one step for each head.
[[nodiscard]] std::int64_t OneDeviceBound(std::vector<OneDeviceOp> ops);

}  // namespace opyard::sim
