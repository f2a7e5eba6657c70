// Builds a placement and an order by earliest start times (ETF) within the devices' memory.
#pragma once

#include <vector>

#include "agents/planning/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// A schedule without contention. Its placement is a guide; what it is worth, the evaluator says.
struct EarliestStartSchedule {
  std::vector<DeviceId> device_of_group;  // [num_groups]
  std::vector<OpId> order;                // [num_ops], as they were chosen
  SimTime makespan;
};

// Repeatedly runs the ready op and device with the earliest start, after all work of that device,
// among the devices with room for the op; ties by topological index, then the least device. The
// first op of a group decides for it, and takes room for all its parameters. Where nothing has
// room, the first ready op in topological order runs where there is most. A device may hold
// `memory_share` of its capacity. Where placement is no task, groups are where the default
// placement has them. O(devices · (edges + ops · log ops)), more where much waits for room.
[[nodiscard]] EarliestStartSchedule BuildEarliestStartSchedule(const env::Problem& problem,
                                                               const TransferTimes& transfers,
                                                               double memory_share);

}  // namespace opyard::agents
