// Builds a placement by PEFT: each op where its end and what optimistically follows are least.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "agents/classical/peft/optimistic_costs.h"
#include "agents/planning/estimates/arrivals.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

struct OptimisticScheduleOptions {
  std::optional<double> memory_share = std::nullopt;  // none: memory is ignored
  TransferRule transfers = TransferRule::kAlone;
  // The devices that a group may go to, where it is allowed on one of them; empty: all.
  std::vector<DeviceId> devices = {};
};

// Its placement is a guide; what it is worth, the evaluator says.
struct OptimisticSchedule {
  env::GroupPlacement device_of_group;  // [num_groups]
  std::vector<SimTime> start;           // [num_ops]
  std::vector<SimTime> finish;          // [num_ops]
};

// Schedules the ops in `order`, in idle gaps where they are long enough. A group goes as a whole to
// the device with the least sum of OCT and end of its first op in `order` that takes time (inputs
// not scheduled yet do not delay it); of equals to the lowest index. With `memory_share` only
// devices with room for the group count (GroupMemory), or the roomiest. O(devices · (edges + ops ·
// gaps)).
[[nodiscard]] OptimisticSchedule BuildOptimisticSchedule(const env::Problem& problem,
                                                         const TransferTimes& transfers,
                                                         const OpTimes& times,
                                                         const OptimisticCosts& costs,
                                                         std::span<const OpId> order,
                                                         const OptimisticScheduleOptions& options);

}  // namespace opyard::agents
