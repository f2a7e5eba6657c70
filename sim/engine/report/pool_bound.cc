#include "sim/engine/report/pool_bound.h"

#include <algorithm>
#include <vector>

#include "sim/base/array_index.h"

namespace opyard::sim {

SimTime PoolBound(const LoweredProblem& problem, const Workspace& workspace) {
  const LoweredPools& pools = problem.pools;
  const std::vector<KernelBody>& bodies = workspace.prepared.bodies;
  std::vector<double> busy_ps(pools.num_pools(), 0.0);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k].time_ps > 0) {
      const auto pool = At(pools.PoolOf(At(workspace.state.kernels[k].device)));
      // The end of a body is rounded, which may take half a picosecond of it away.
      busy_ps[pool] += static_cast<double>(bodies[k].time_ps) * bodies[k].demand_bytes_per_s /
                           pools.bandwidth_bytes_per_s[pool] -
                       1.0;
    }
  }
  // Sums of doubles err by far less than this share.
  constexpr double kRounding = 1e-9;
  SimTime bound;
  for (const double time_ps : busy_ps) {
    bound = std::max(bound, SimTime{static_cast<std::int64_t>(time_ps * (1.0 - kRounding))});
  }
  return bound;
}

}  // namespace opyard::sim
