// The temperature of simulated annealing, and how much worse a plan became.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/planning/encoding/fitness.h"

namespace opyard::agents {

// The relative change of the score from one plan to another: (to − from) / from. From a plan that
// completes to one that does not: +infinity; back: −infinity. Between two that do not: the time by
// which the second ran out of memory earlier, as a share of the longer run.
[[nodiscard]] double RelativeChange(const Fitness& from, const Fitness& to);

// The temperature at which the median of `worsenings`, relative changes above 0, is accepted with
// probability `acceptance`. Without any: 0.01.
[[nodiscard]] double TemperatureFor(std::vector<double> worsenings, double acceptance);

struct CoolingOptions {
  double initial = 1.0;  // in relative change of the score
  double factor = 0.95;
  std::int64_t moves_per_temperature = 0;  // 0: a hundredth of the budget's share of one cycle
  std::int64_t num_cycles = 1;
};

// A geometric schedule in cycles, each starting at `initial`.
class Cooling {
 public:
  // `used_share_at_start` is what of the budget was gone when annealing began.
  Cooling(CoolingOptions options, double used_share_at_start);

  struct State {
    double temperature = 0.0;
    std::int64_t cycle = 0;
  };
  // After `num_moves` moves and with `used_share` of the budget gone.
  [[nodiscard]] State At(std::int64_t num_moves, double used_share) const;

 private:
  [[nodiscard]] State AtMove(std::int64_t num_moves) const;
  [[nodiscard]] State AtShare(double used_share) const;

  CoolingOptions options_;
  double used_share_at_start_;
};

}  // namespace opyard::agents
