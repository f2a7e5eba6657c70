#include "sim/engine/run/pool_bandwidth.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace opyard::sim {
namespace {

// `wait_ps` after `now_ps`, rounded to nearest, halves to even; kNever where that does not fit.
std::int64_t EndAfter(std::int64_t now_ps, double wait_ps) {
  const double most_ps = static_cast<double>(kNever) - static_cast<double>(now_ps);
  return wait_ps < 0.999 * most_ps ? now_ps + static_cast<std::int64_t>(std::nearbyint(wait_ps))
                                   : kNever;
}

}  // namespace

void PoolBandwidth::Reset(const LoweredPools& pools) {
  pools_.resize(pools.num_pools());
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    Pool& pool = pools_[i];
    pool.bandwidth_bytes_per_s = pools.bandwidth_bytes_per_s[i];
    pool.base_ps = 0;
    pool.next_end_ps = kNever;
    pool.is_stale = false;
    pool.bodies.clear();
    pool.bodies.reserve(pools.pool_of_device.size());  // more only where streams run side by side
  }
}

void PoolBandwidth::Begin(std::int32_t kernel,
                          std::size_t pool,
                          const KernelBody& body,
                          std::int64_t now_ps) {
  Pool& shared = pools_[pool];
  MoveTo(shared, now_ps);
  const Body begun{.demand_bytes_per_s = body.demand_bytes_per_s,
                   .kernel = kernel,
                   .left_ps = static_cast<double>(body.time_ps),
                   .end_ps = now_ps + body.time_ps};
  const auto place = std::ranges::upper_bound(
      shared.bodies, std::tuple(begun.demand_bytes_per_s, kernel), {}, [](const Body& other) {
        return std::tuple(other.demand_bytes_per_s, other.kernel);
      });
  shared.bodies.insert(place, begun);
  shared.is_stale = true;
}

std::int64_t PoolBandwidth::NextEnd(std::int64_t now_ps) {
  std::int64_t next_ps = kNever;
  for (Pool& pool : pools_) {
    if (pool.is_stale) {
      MoveTo(pool, now_ps);
      Share(pool);
      pool.is_stale = false;
    }
    next_ps = std::min(next_ps, pool.next_end_ps);
  }
  return next_ps;
}

void PoolBandwidth::TakeEnded(std::int64_t now_ps, std::vector<std::int32_t>& ended) {
  for (Pool& pool : pools_) {
    if (pool.next_end_ps != now_ps) {
      continue;
    }
    MoveTo(pool, now_ps);
    std::erase_if(pool.bodies, [&](const Body& body) {
      if (body.end_ps == now_ps) {
        ended.push_back(body.kernel);
      }
      return body.end_ps == now_ps;
    });
    pool.is_stale = true;
  }
}

std::int64_t PoolBandwidth::EndOf(std::int32_t kernel) const {
  for (const Pool& pool : pools_) {
    const auto found = std::ranges::find(pool.bodies, kernel, &Body::kernel);
    if (found != pool.bodies.end()) {
      return found->end_ps;
    }
  }
  return 0;
}

void PoolBandwidth::MoveTo(Pool& pool, std::int64_t now_ps) {
  const auto elapsed_ps = static_cast<double>(now_ps - pool.base_ps);
  for (Body& body : pool.bodies) {
    body.left_ps = std::max(body.left_ps - body.speed * elapsed_ps, 0.0);
  }
  pool.base_ps = now_ps;
}

// Progressive filling (Bertsekas and Gallager, Data Networks, 1992, 6.5.2) of one link by flows
// that take no more than they ask for: those that ask for the least are served first, and the first
// that asks for more than an equal part of the rest fixes what it and all after it get.
void PoolBandwidth::Share(Pool& pool) {
  double free = pool.bandwidth_bytes_per_s;
  double level = 0.0;
  bool is_full = false;
  std::size_t num_left = pool.bodies.size();
  pool.next_end_ps = kNever;
  for (Body& body : pool.bodies) {
    if (!is_full) {
      level = free / static_cast<double>(num_left--);
      is_full = body.demand_bytes_per_s > level;
      free -= body.demand_bytes_per_s;
    }
    body.speed = is_full ? level / body.demand_bytes_per_s : 1.0;
    body.end_ps = EndAfter(pool.base_ps, body.left_ps / body.speed);
    pool.next_end_ps = std::min(pool.next_end_ps, body.end_ps);
  }
}

}  // namespace opyard::sim
