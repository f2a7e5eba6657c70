// Shared memories in the reference simulator: bodies of kernels that divide the bandwidths of
// pools.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "sim/base/units.h"

namespace opyard::testing {

class ReferencePools {
 public:
  // `bandwidths`: bytes per second of each pool.
  explicit ReferencePools(std::vector<double> bandwidths);

  // The body of `kernel` begins at `now`: it takes `alone` with `demand` bytes per second to
  // itself.
  void Start(std::size_t kernel, std::size_t pool, SimTime alone, double demand, SimTime now);
  // Removes and returns the kernels whose body ends at `now`.
  [[nodiscard]] std::vector<std::size_t> TakeEnded(SimTime now);
  // After starts or ends at `now`: gives the bodies of each pool in which there were any new rates.
  void ShareAnew(SimTime now);
  [[nodiscard]] std::optional<SimTime> NextEnd() const;

 private:
  struct Body {
    double demand = 0.0;     // bytes per second
    double work_left = 0.0;  // picoseconds, alone
    double rate = 0.0;       // bytes per second
    std::optional<SimTime> end;
  };
  struct Pool {
    double bandwidth = 0.0;
    std::map<std::size_t, Body> bodies;  // by kernel
    SimTime moved_to;
    bool has_changed = false;
  };

  static void MoveTo(Pool& pool, SimTime now);
  static void SetRates(Pool& pool);

  std::vector<Pool> pools_;
};

}  // namespace opyard::testing
