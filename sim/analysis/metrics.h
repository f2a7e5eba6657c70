// Figures derived from a timeline.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/analysis/timeline.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::sim {

// From `time` on, `length` kernels stand in the queue of `device`: issued, all inputs there, not
// started.
struct QueueSample {
  SimTime time;
  DeviceId device;
  std::int64_t length = 0;
};

// Every change of every queue, by time, then device; what comes and goes at one instant is no
// change.
[[nodiscard]] std::vector<QueueSample> ReadyQueueLengths(const Timeline& timeline);

// From `time` on, `length` transfers are offered and not started. Transfers that never started are
// unknown to a timeline and not counted.
struct WaitingSample {
  SimTime time;
  std::int64_t length = 0;
};
[[nodiscard]] std::vector<WaitingSample> WaitingTransfers(const Timeline& timeline);

// The total time of the transfers that cross each link, both directions counted, by index of the
// link; all 0 under regal, whose transfers use no link.
[[nodiscard]] std::vector<SimTime> LinkLoads(const SimulatedStep& step, const Timeline& timeline);

}  // namespace opyard::sim
