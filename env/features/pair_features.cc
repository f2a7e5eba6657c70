#include "env/features/pair_features.h"

#include <algorithm>
#include <span>

#include "env/features/columns.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/simulator.h"

namespace opyard::env {
namespace {

// The routes of a machine as the simulator takes them, and how many of those between main devices
// need each channel.
class RouteUse {
 public:
  RouteUse(const sim::LoweredProblem& lowered, std::span<const DeviceId> main_devices)
      : lowered_(lowered),
        is_main_(lowered.num_devices, 0),
        users_(lowered.channel_names.size(), 0) {
    for (const DeviceId device : main_devices) {
      is_main_[device.index()] = 1;
    }
    for (const DeviceId src : main_devices) {
      for (const DeviceId dst : main_devices) {
        num_pairs_ += lowered.route(src.value, dst.value).exists ? 1 : 0;
        for (const std::int32_t channel : ChannelsOf(src, dst)) {
          ++users_[static_cast<std::size_t>(channel)];
        }
      }
    }
  }

  [[nodiscard]] const sim::LoweredRoute& route(DeviceId src, DeviceId dst) const {
    return lowered_.route(src.value, dst.value);
  }

  // The share of the other main pairs that need the most wanted channel of this one.
  [[nodiscard]] float SharedChannel(DeviceId src, DeviceId dst) const {
    const bool is_counted =
        is_main_[src.index()] != 0 && is_main_[dst.index()] != 0 && route(src, dst).exists;
    const std::int64_t own = is_counted ? 1 : 0;
    std::int64_t most = 0;
    for (const std::int32_t channel : ChannelsOf(src, dst)) {
      most = std::max(most, users_[static_cast<std::size_t>(channel)] - own);
    }
    const std::int64_t others = num_pairs_ - own;
    return others > 0 ? static_cast<float>(most) / static_cast<float>(others) : 0.0F;
  }

 private:
  [[nodiscard]] std::span<const std::int32_t> ChannelsOf(DeviceId src, DeviceId dst) const {
    const sim::LoweredRoute& taken = route(src, dst);
    return std::span(lowered_.route_channels)
        .subspan(static_cast<std::size_t>(taken.first_channel),
                 static_cast<std::size_t>(taken.num_channels));
  }

  const sim::LoweredProblem& lowered_;
  std::vector<std::uint8_t> is_main_;  // [num_devices]
  std::vector<std::int64_t> users_;    // [num_channels]: ordered pairs of main devices
  std::int64_t num_pairs_ = 0;         // of main devices, with a route
};

float TransferToOpTime(const sim::LoweredRoute& route, const FeatureScales& scales) {
  if (!route.exists) {
    return 1.0F;
  }
  const double transfer_ps = static_cast<double>(route.latency_ps) +
                             scales.mean_tensor_bytes * (1e12 / route.bandwidth_bytes_per_s);
  return static_cast<float>(Squash(transfer_ps, scales.op_time_ps));
}

}  // namespace

std::vector<float> PairFeatures(const Problem& problem, const FeatureScales& scales) {
  const RouteUse routes(problem.simulator().problem(), scales.main_devices);
  const std::size_t num_devices = problem.hardware().num_devices();
  std::vector<float> pair_x;
  pair_x.reserve(num_devices * num_devices * kNumPairFeatures);
  for (std::size_t src = 0; src < num_devices; ++src) {
    for (std::size_t dst = 0; dst < num_devices; ++dst) {
      const bool is_same = src == dst;
      const sim::LoweredRoute& route = routes.route(DeviceId(src), DeviceId(dst));
      pair_x.push_back(is_same ? 0.0F : TransferToOpTime(route, scales));
      pair_x.push_back(routes.SharedChannel(DeviceId(src), DeviceId(dst)));
      pair_x.push_back(is_same ? 1.0F : 0.0F);
    }
  }
  return pair_x;
}

}  // namespace opyard::env
