// Builds a placement by list scheduling: ops in order of priority, each to the device where it ends
// first.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "agents/planning/arrivals.h"
#include "agents/planning/op_times.h"
#include "agents/planning/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// Where on a device an op may start: in any idle gap, or only after all work so far.
enum class GapRule { kInsert, kAppend };

// How a group of several ops finds its device; for a group of one op both are the same.
//   kFirstOp     the device where its first op in the list ends first.
//   kWholeGroup  the least sum of: the end of its anchor (its first op in the list that takes time;
//                inputs not scheduled yet do not delay it), the time of its other ops, and the time
//                of their transfers from and to groups that have a device.
enum class GroupDeviceRule { kFirstOp, kWholeGroup };

struct ListScheduleOptions {
  GapRule gaps = GapRule::kInsert;
  GroupDeviceRule group_device = GroupDeviceRule::kWholeGroup;
  // Without: memory is ignored. With: a device is chosen only while the parameters and outputs of
  // its ops stay within this share of its limit (GroupMemory); if none qualifies, the one with most
  // room left.
  std::optional<double> memory_share;
  TransferRule transfers = TransferRule::kAlone;
  // Null: each op takes what it takes alone. Outlives the call.
  const OpTimes* times = nullptr;
  // The devices that a group may go to, where it is allowed on one of them; empty: all.
  std::vector<DeviceId> devices;
};

// Its placement is a guide; what it is worth, the evaluator says.
struct ListSchedule {
  std::vector<DeviceId> device_of_group;  // [num_groups]
  std::vector<SimTime> start;             // [num_ops]
  std::vector<SimTime> finish;            // [num_ops]
  SimTime makespan;
};

// Schedules the ops by falling `key`, equals by topological index; devices that tie go to the
// lowest index. REQUIRES: `key`, [num_ops], never increases along an edge. O(devices · (edges + ops
// · gaps)).
[[nodiscard]] ListSchedule BuildListSchedule(const env::Problem& problem,
                                             const TransferTimes& transfers,
                                             std::span<const double> key,
                                             const ListScheduleOptions& options);

}  // namespace opyard::agents
