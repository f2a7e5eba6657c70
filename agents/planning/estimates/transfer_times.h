// The times of transfers as rule-based planners see them: each alone on its route.
#pragma once

#include <span>
#include <vector>

#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// Latency and bandwidth of every ordered device pair. Contention is not modelled, as in the
// published list schedulers; the evaluator's simulation has it.
class TransferTimes {
 public:
  // Stands for a pair without a route: longer than any sensible step, short enough to be summed.
  static constexpr SimTime kNoRoute{100'000'000'000'000};  // 100 s

  explicit TransferTimes(const env::Problem& problem);

  // Latency + bytes / bandwidth of the route; zero from a device to itself.
  [[nodiscard]] SimTime Time(Bytes bytes, DeviceId src, DeviceId dst) const {
    const Pair& entry = pair(src, dst);
    if (!entry.has_route) {
      return kNoRoute;
    }
    const double moving_s = static_cast<double>(bytes.count) * entry.seconds_per_byte;
    return moving_s > kNoRoute.seconds() ? kNoRoute
                                         : entry.latency + SimTime::FromSeconds(moving_s);
  }
  // The time of a control edge: the latency alone.
  [[nodiscard]] SimTime ControlTime(DeviceId src, DeviceId dst) const {
    return pair(src, dst).has_route ? pair(src, dst).latency : kNoRoute;
  }
  // The coefficients of seconds = latency + bytes · seconds_per_byte, averaged over the ordered
  // pairs of distinct `devices` that have a route; zeros if there is none.
  struct Line {
    double latency_s = 0.0;
    double seconds_per_byte = 0.0;
  };
  [[nodiscard]] Line Mean(std::span<const DeviceId> devices) const;
  // The coefficients averaged over the pairs of one of `sources` and one of `destinations`.
  [[nodiscard]] Line Mean(std::span<const DeviceId> sources,
                          std::span<const DeviceId> destinations) const;

 private:
  struct Pair {
    bool has_route = false;
    SimTime latency;
    double seconds_per_byte = 0.0;
  };

  [[nodiscard]] const Pair& pair(DeviceId src, DeviceId dst) const {
    return pairs_[src.index() * num_devices_ + dst.index()];
  }

  std::size_t num_devices_;
  std::vector<Pair> pairs_;  // [num_devices, num_devices] row-major
};

}  // namespace opyard::agents
