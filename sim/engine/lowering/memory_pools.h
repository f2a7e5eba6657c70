// The memory pools of a machine as the engine uses them, and what kernels ask of their bandwidths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/base/ids.h"
#include "sim/cost/cost_table.h"
#include "sim/fusion/kernel_traffic.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// The last part of a kernel, in which it moves its bytes: as long as it takes alone, and the
// bandwidth that it uses then (docs/modelling.md, equation 6b).
struct KernelBody {
  std::int64_t time_ps = 0;  // 0: the kernel asks nothing of its pool
  double demand_bytes_per_s = 0.0;
};

struct LoweredPools {
  static constexpr std::int32_t kNone = Device::kNoMemoryPool;

  std::vector<std::int32_t> pool_of_device;   // [num_devices]; empty where no device has a pool
  std::vector<double> bandwidth_bytes_per_s;  // [num_pools]
  std::vector<std::int64_t> capacity_bytes;   // [num_pools]; the largest int64 when ignored
  std::vector<KernelBody> bodies;             // [num_ops, num_devices] row-major: ops alone

  [[nodiscard]] bool empty() const { return pool_of_device.empty(); }
  [[nodiscard]] std::size_t num_pools() const { return bandwidth_bytes_per_s.size(); }
  // The pool of `device`, or kNone. REQUIRES: !empty().
  [[nodiscard]] std::int32_t PoolOf(std::size_t device) const { return pool_of_device[device]; }
  // The body of an op that runs alone as a kernel.
  [[nodiscard]] const KernelBody& BodyOfOp(std::size_t op, std::size_t device) const {
    return bodies[op * pool_of_device.size() + device];
  }
};

// The body of a kernel that takes `duration_ps` alone, on a device of a pool with `bandwidth`.
[[nodiscard]] KernelBody BodyOf(std::int64_t duration_ps,
                                const KernelTraffic& traffic,
                                double bandwidth_bytes_per_s);

// Empty where no device has a pool. `op_of` are the ops by their lowered index. O(ops · devices).
[[nodiscard]] LoweredPools LowerPools(const OpGraph& graph,
                                      const HardwareProfile& hardware,
                                      const CostTable& costs,
                                      std::span<const OpId> op_of);

}  // namespace opyard::sim
