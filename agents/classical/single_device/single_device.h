// The baseline of the tables: everything on one device.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Evaluates env::SingleDevicePlans in one batch: one plan per device in the machine's order, host
// processors included, without repetitions; the best counts. Devices that are alike are all tried,
// because their links may differ. A group that may not be there stays where the default placement
// has it. Where placement is no task, the default placement is the only plan. Priorities are not
// set.
[[nodiscard]] AgentEntry SingleDeviceEntry();

}  // namespace opyard::agents
