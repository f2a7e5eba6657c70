// The assignment of devices to segments of an order, each device to one run of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace opyard::env {

// The gain of one segment on a device; other devices gain 0.
struct SegmentGain {
  std::size_t device = 0;  // a number below that of the devices
  std::int64_t gain = 0;   // not negative
};

struct Segment {
  std::vector<SegmentGain> gains;  // each device once
  std::vector<bool> may_run;       // [num_devices]
};

// The most devices, and the most entries of its table, of the exact search.
inline constexpr std::size_t kMostExactDevices = 8;
inline constexpr std::size_t kMostExactEntries = std::size_t{1} << 24;

// The device of each segment, such that each device has one run of segments or none, and the sum of
// gains is the greatest; nothing if the devices that may run leave no way. Ties: the run goes on,
// else the least device. Time and memory O(segments · 2^devices · devices).
// REQUIRES: at least one segment; at most kMostExactDevices devices; sums of gains fit in int64.
[[nodiscard]] std::optional<std::vector<std::size_t>> BestRuns(std::span<const Segment> segments,
                                                               std::size_t num_devices);

// The same where devices come in their order, each after those before it: O(segments · devices).
[[nodiscard]] std::optional<std::vector<std::size_t>> BestRunsInOrder(
    std::span<const Segment> segments, std::size_t num_devices);

}  // namespace opyard::env
