#include "agents/planning/estimates/transfer_times.h"

namespace opyard::agents {

TransferTimes::TransferTimes(const env::Problem& problem)
    : num_devices_(problem.hardware().num_devices()), pairs_(num_devices_ * num_devices_) {
  for (std::size_t src = 0; src < num_devices_; ++src) {
    for (std::size_t dst = 0; dst < num_devices_; ++dst) {
      Pair& entry = pairs_[src * num_devices_ + dst];
      const sim::Route* route = problem.routes().Find(DeviceId(src), DeviceId(dst));
      entry.has_route = route != nullptr || src == dst;
      if (route != nullptr) {
        entry.latency = route->latency;
        entry.seconds_per_byte = 1.0 / route->bandwidth_bytes_per_s;
      }
    }
  }
}

TransferTimes::Line TransferTimes::Mean(std::span<const DeviceId> devices) const {
  return Mean(devices, devices);
}

TransferTimes::Line TransferTimes::Mean(std::span<const DeviceId> sources,
                                        std::span<const DeviceId> destinations) const {
  Line sum;
  std::size_t count = 0;
  for (const DeviceId src : sources) {
    for (const DeviceId dst : destinations) {
      if (src != dst && pair(src, dst).has_route) {
        sum.latency_s += pair(src, dst).latency.seconds();
        sum.seconds_per_byte += pair(src, dst).seconds_per_byte;
        ++count;
      }
    }
  }
  if (count == 0) {
    return {};
  }
  const auto n = static_cast<double>(count);
  return {.latency_s = sum.latency_s / n, .seconds_per_byte = sum.seconds_per_byte / n};
}

}  // namespace opyard::agents
