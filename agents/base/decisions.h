// What agents that decide per group choose.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ids.h"

namespace opyard::agents {

// One choice per group of problem.grouping(), for each open task.
struct Decisions {
  std::vector<DeviceId> device_of_group;        // [num_groups]; empty if placement is no task
  std::vector<std::int64_t> priority_of_group;  // [num_groups]; empty if scheduling is no task
  std::vector<std::int32_t> fusion_of_group;    // [num_groups], 0 declines; empty if fusion is none
  friend bool operator==(const Decisions&, const Decisions&) = default;
};

}  // namespace opyard::agents
