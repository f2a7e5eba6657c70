// Builds a placement and an order by earliest start times (ETF) within the devices' memory.
#pragma once

#include <optional>
#include <vector>

#include "agents/planning/estimates/arrivals.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/graph/colocation.h"

namespace opyard::agents {

struct EarliestStartOptions {
  double memory_share = 1.0;  // share of its capacity that a device may hold
  TransferRule transfers = TransferRule::kAlone;
  // Null: each op takes what it takes alone. Outlives the call.
  const OpTimes* times = nullptr;
  // The main devices that a group may go to, where it is allowed on one of them; empty: all.
  std::vector<DeviceId> devices = {};
  // The groups that have one device, unions of groups of the problem that may run on the same
  // devices; null, and where placement is no task: those of the problem. Outlives the call.
  const sim::Grouping* grouping = nullptr;
  // The consumer that the device of an op waits for, [num_ops]; empty: no device waits. A device
  // that ran an op whose favourite is yet to run, and may run there, is kept for it. The op that
  // would be first there otherwise starts no sooner than its inputs could be on every device that
  // it may go to, and no other op starts.
  std::vector<std::optional<OpId>> favourite_child = {};
};

// Its placement is a guide; what it is worth, the evaluator says.
struct EarliestStartSchedule {
  env::GroupPlacement device_of_group;  // [num_groups]
  std::vector<OpId> order;              // [num_ops], as they were chosen
  SimTime makespan;
};

// Repeatedly runs the ready op and device with the earliest start, after all work of that device,
// among the devices with room for the op; ties by topological index, then the least device. The
// first op of a group decides for it, and takes room for all its parameters. Where nothing has
// room, the first ready op in topological order runs where there is most. Where placement is no
// task, groups are where the default placement has them. O(devices · (edges + ops · log ops)), more
// where much waits for room.
[[nodiscard]] EarliestStartSchedule BuildEarliestStartSchedule(const env::Problem& problem,
                                                               const TransferTimes& transfers,
                                                               const EarliestStartOptions& options);

}  // namespace opyard::agents
