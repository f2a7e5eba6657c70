#include "sim/engine/lowering/memory_pools.h"

#include <algorithm>
#include <limits>

namespace opyard::sim {
namespace {

// The body of an op on a device of a pool with that bandwidth.
KernelBody BodyOfOpOn(
    const Op& op, OpId id, DeviceId device, const CostTable& costs, double bandwidth_bytes_per_s) {
  const OpCost& cost = costs.cost(id, device);
  return BodyOf(costs.time(id, device).picoseconds,
                {.launch_s = cost.launch_s, .bytes = BytesMoved(op, cost)},
                bandwidth_bytes_per_s);
}

}  // namespace

KernelBody BodyOf(std::int64_t duration_ps,
                  const KernelTraffic& traffic,
                  double bandwidth_bytes_per_s) {
  const std::int64_t launch_ps = SimTime::FromSeconds(traffic.launch_s).picoseconds;
  const SimTime body{std::max<std::int64_t>(duration_ps - launch_ps, 0)};
  if (body == SimTime{} || traffic.bytes <= 0.0) {
    return {};
  }
  // Caches may serve more than the pool can: alone, the kernel takes what it takes.
  return {.time_ps = body.picoseconds,
          .demand_bytes_per_s = std::min(traffic.bytes / body.seconds(), bandwidth_bytes_per_s)};
}

LoweredPools LowerPools(const OpGraph& graph,
                        const HardwareProfile& hardware,
                        const CostTable& costs,
                        std::span<const OpId> op_of) {
  LoweredPools pools;
  const bool has_pools = std::ranges::any_of(hardware.devices, [](const Device& device) {
    return device.memory_pool != LoweredPools::kNone;
  });
  if (!has_pools) {
    return pools;
  }
  for (std::size_t pool = 0; pool < hardware.memory_pools.size(); ++pool) {
    const bool is_limited = hardware.memory.on_exceed != OnExceed::kIgnore;
    pools.bandwidth_bytes_per_s.push_back(hardware.memory_pools[pool].bandwidth_bytes_per_s);
    pools.capacity_bytes.push_back(is_limited ? hardware.pool_capacity(pool).count
                                              : std::numeric_limits<std::int64_t>::max());
  }
  for (const Device& device : hardware.devices) {
    pools.pool_of_device.push_back(device.memory_pool);
  }
  for (const OpId op : op_of) {
    for (std::size_t d = 0; d < hardware.num_devices(); ++d) {
      const std::int32_t pool = pools.PoolOf(d);
      pools.bodies.push_back(
          pool == LoweredPools::kNone
              ? KernelBody{}
              : BodyOfOpOn(
                    graph.op(op), op, DeviceId(d), costs, pools.bandwidth_bytes_per_s[At(pool)]));
    }
  }
  return pools;
}

}  // namespace opyard::sim
