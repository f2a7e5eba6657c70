#include "tests/support/reference_pools.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace opyard::testing {

ReferencePools::ReferencePools(std::vector<double> bandwidths) {
  for (const double bandwidth : bandwidths) {
    pools_.push_back({.bandwidth = bandwidth});
  }
}

void ReferencePools::Start(
    std::size_t kernel, std::size_t pool, SimTime alone, double demand, SimTime now) {
  MoveTo(pools_[pool], now);
  pools_[pool].bodies[kernel] = {.demand = demand,
                                 .work_left = static_cast<double>(alone.picoseconds)};
  pools_[pool].has_changed = true;
}

std::vector<std::size_t> ReferencePools::TakeEnded(SimTime now) {
  std::vector<std::size_t> ended;
  for (Pool& pool : pools_) {
    std::vector<std::size_t> here;
    for (const auto& [kernel, body] : pool.bodies) {
      if (body.end == now) {
        here.push_back(kernel);
      }
    }
    if (!here.empty()) {
      MoveTo(pool, now);
      pool.has_changed = true;
    }
    for (const std::size_t kernel : here) {
      pool.bodies.erase(kernel);
      ended.push_back(kernel);
    }
  }
  return ended;
}

void ReferencePools::ShareAnew(SimTime now) {
  for (Pool& pool : pools_) {
    if (!pool.has_changed) {
      continue;
    }
    MoveTo(pool, now);
    SetRates(pool);
    for (auto& [kernel, body] : pool.bodies) {
      const bool is_alone = body.rate == body.demand;
      const double wait = is_alone ? body.work_left : body.work_left / (body.rate / body.demand);
      body.end = now + SimTime{static_cast<std::int64_t>(std::nearbyint(wait))};
    }
    pool.has_changed = false;
  }
}

std::optional<SimTime> ReferencePools::NextEnd() const {
  std::optional<SimTime> next;
  for (const Pool& pool : pools_) {
    for (const auto& [kernel, body] : pool.bodies) {
      next = next && *next < *body.end ? next : body.end;
    }
  }
  return next;
}

// Rates have been constant since then.
void ReferencePools::MoveTo(Pool& pool, SimTime now) {
  const auto elapsed = static_cast<double>((now - pool.moved_to).picoseconds);
  for (auto& [kernel, body] : pool.bodies) {
    body.work_left = std::max(0.0, body.work_left - body.rate / body.demand * elapsed);
  }
  pool.moved_to = now;
}

// Max-min fair: whoever asks for no more than an equal part of what is left gets what it asks for,
// until all others ask for more; these get equal parts.
void ReferencePools::SetRates(Pool& pool) {
  std::multiset<std::pair<double, std::size_t>> hungry;
  for (const auto& [kernel, body] : pool.bodies) {
    hungry.insert({body.demand, kernel});
  }
  double left = pool.bandwidth;
  const auto part = [&] { return left / static_cast<double>(hungry.size()); };
  while (!hungry.empty() && hungry.begin()->first <= part()) {
    pool.bodies.at(hungry.begin()->second).rate = hungry.begin()->first;
    left -= hungry.begin()->first;
    hungry.erase(hungry.begin());
  }
  for (const auto& [demand, kernel] : hungry) {
    pool.bodies.at(kernel).rate = part();
  }
}

}  // namespace opyard::testing
