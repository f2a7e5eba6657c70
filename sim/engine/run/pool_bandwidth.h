// The bandwidths of memory pools, shared max-min fairly by the bodies of running kernels
// (docs/modelling.md, section 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/engine/lowering/memory_pools.h"
#include "sim/engine/queues/never.h"

namespace opyard::sim {

// The bodies under way in one run. The work left of a body is counted in the picoseconds that it
// takes alone, and brought up to date whenever a body of its pool begins or ends. Uncontended, a
// body ends exactly when it would end alone.
class PoolBandwidth {
 public:
  // Forgets all bodies.
  void Reset(const LoweredPools& pools);

  // The body of `kernel`, which takes time, begins at `now_ps`.
  void Begin(std::int32_t kernel, std::size_t pool, const KernelBody& body, std::int64_t now_ps);

  // When the next body ends, or kNever. Shares bandwidths anew where a body began or ended since.
  [[nodiscard]] std::int64_t NextEnd(std::int64_t now_ps);

  // Removes the bodies that end at `now_ps`, if NextEnd() said so, and appends their kernels to
  // `ended`.
  void TakeEnded(std::int64_t now_ps, std::vector<std::int32_t>& ended);

  // When the body of `kernel` ends if all speeds stay as they are; 0 if none is under way.
  [[nodiscard]] std::int64_t EndOf(std::int32_t kernel) const;

 private:
  struct Body {
    double demand_bytes_per_s = 0.0;
    std::int32_t kernel = 0;
    double left_ps = 0.0;  // at Pool::base_ps, alone
    double speed = 0.0;    // 1 alone; 0 until bandwidth is shared
    std::int64_t end_ps = 0;
  };
  struct Pool {
    double bandwidth_bytes_per_s = 0.0;
    std::int64_t base_ps = 0;
    std::int64_t next_end_ps = kNever;  // unless stale
    bool is_stale = false;              // a body began or ended since speeds were set
    std::vector<Body> bodies;           // by demand, then by kernel
  };

  static void MoveTo(Pool& pool, std::int64_t now_ps);
  static void Share(Pool& pool);

  std::vector<Pool> pools_;
};

}  // namespace opyard::sim
