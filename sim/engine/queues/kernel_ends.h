// When the kernels that run on a few devices end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/engine/queues/never.h"

namespace opyard::sim {

// One kernel a device. Which of them ends first is a coin toss, so nothing branches on it, as a
// heap would.
class KernelEnds {
 public:
  static constexpr std::size_t kMostDevices = 8;
  // Ends are less. Runs that may last longer, 6.7 days, have their ends among the events.
  static constexpr std::int64_t kLatestPs = std::int64_t{1} << 59U;

  // No device runs anything.
  void Reset(std::size_t num_devices) {
    num_devices_ = num_devices;
    first_ = kIdle;
    ends_.fill(kIdle);
  }

  // `device`, which is idle, runs until `end_ps`.
  void Add(std::size_t device, std::int64_t end_ps) {
    const std::uint64_t end = (static_cast<std::uint64_t>(end_ps) << kDeviceBits) | device;
    ends_[device] = end;
    first_ = Lesser(first_, end);
  }

  // The end of the device that ends first, or kNever if none runs.
  [[nodiscard]] std::int64_t next_ps() const {
    return first_ == kIdle ? kNever : static_cast<std::int64_t>(first_ >> kDeviceBits);
  }

  // The device that ends first is idle from now on. REQUIRES: next_ps() != kNever.
  std::size_t Pop() {
    const std::size_t device = first_ % kMostDevices;
    ends_[device] = kIdle;
    const auto& e = ends_;
    first_ = Lesser(Lesser(e[0], e[1]), Lesser(e[2], e[3]));
    if (num_devices_ > 4) {
      first_ = Lesser(first_, Lesser(Lesser(e[4], e[5]), Lesser(e[6], e[7])));
    }
    return device;
  }

 private:
  // An end and its device as one number, so that the least gives both.
  static constexpr unsigned kDeviceBits = 3;
  static constexpr std::uint64_t kIdle = ~std::uint64_t{0};

  [[nodiscard]] static std::uint64_t Lesser(std::uint64_t a, std::uint64_t b) {
    return a < b ? a : b;
  }

  std::size_t num_devices_ = 0;
  std::uint64_t first_ = kIdle;
  std::array<std::uint64_t, kMostDevices> ends_{};
};

}  // namespace opyard::sim
