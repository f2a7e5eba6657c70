// The baseline of the tables: everything on one device.
#pragma once

#include "agents/registry.h"

namespace opyard::agents {

// Tries one plan per device: the devices of the first accelerator's kind in their order, then the
// others in theirs; the best counts. Devices that are alike in cost and capacity are all tried,
// because their links may differ. A group that may not be there goes to its first allowed device.
// Where placement is no task, the problem's default placement is the only plan. Priorities are not
// set.
[[nodiscard]] AgentEntry SingleDeviceEntry();

}  // namespace opyard::agents
