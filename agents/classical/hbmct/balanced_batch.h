// BMCT: independent tasks on devices, balanced by when the devices end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agents/planning/estimates/group_memory.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// One of several tasks that wait for none of the others.
struct BatchTask {
  std::vector<DeviceId> candidates;       // where it may run, ascending; never empty
  std::vector<SimTime> ready;             // [num_devices], its soonest start; of candidates alone
  std::vector<SimTime> time;              // [num_devices]; of candidates alone
  std::optional<std::size_t> group = {};  // that takes memory where it goes; none: nothing does
};

// The device that a task has at first: the one that runs it in least time, or the one where it
// would end first. Equals: the least index.
enum class InitialDevice : std::uint8_t { kExecutionTime, kFinishTime };

// The tasks of each device in the order in which they run. [num_devices]
using BatchLanes = std::vector<std::vector<std::size_t>>;

// Balanced minimum completion time (Sakellariou and Zhao, HCW 2004). Each device runs its tasks by
// rising `ready`, then those that were moved to it. Again and again a task leaves the device that
// ends last (the first of equals) for the one that would end soonest with it, provided that both
// then end sooner than the first did before; tasks are tried by rising mean of `ready`. `free`,
// [num_devices]: when each device ends before the batch; no task is ready there sooner. With
// `memory`, which is changed, a task goes only where its group has room, or at first to the
// roomiest of its candidates.
[[nodiscard]] BatchLanes BalanceBatch(std::span<const BatchTask> tasks,
                                      std::span<const SimTime> free,
                                      InitialDevice initial,
                                      std::optional<GroupMemory>& memory);

}  // namespace opyard::agents
