// The choices of agents that decide per group.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "env/group_placement.h"
#include "sim/base/ids.h"

namespace opyard::agents {

// The origin of the levels of groups, so that the ops of a group keep their own order: the priority
// of an op is of_op + per_level · (the level of its group).
struct OpOrder {
  std::vector<std::int64_t> of_op;  // [num_ops]
  std::int64_t per_level = 1;
};

// One choice per group of problem.grouping(), for each open task.
struct Decisions {
  env::GroupPlacement device_of_group;          // [num_groups]; empty if placement is no task
  std::vector<std::int64_t> priority_of_group;  // [num_groups]; empty if scheduling is no task
  std::vector<std::int32_t> fusion_of_group;    // [num_groups], 0 declines; empty if fusion is none
  std::shared_ptr<const OpOrder> order;         // null: a level is the priority of all its ops
  // Every op once, each after those that it waits for: the order of their starts on each device
  // (queue kOrder), in place of priorities. Null: none.
  std::shared_ptr<const std::vector<OpId>> sequence;
  friend bool operator==(const Decisions&, const Decisions&) = default;
};

}  // namespace opyard::agents
