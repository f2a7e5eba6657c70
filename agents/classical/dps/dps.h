// DPS: dynamic priority scheduling.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Ahmad, Dhodhi and Ul-Mustafa, "DPS: dynamic priority scheduling heuristic for heterogeneous
// computing systems" (IEE Proc. Comput. Digit. Tech. 145, 1998), as the package SAGA has it: the op
// with the greatest difference of b-level and t-level (dynamic_priorities.h) comes next, and is
// appended on the device where it ends first. Means are over all devices and memory is ignored, as
// in the paper; deviations, and options that change that, stand in the entry. Uses at most 2
// evaluations, 16 with other options, and no random numbers.
[[nodiscard]] AgentEntry DpsEntry();
// The aware version, `dps_aware` (planning/list_scheduling/aware_search.h): one evaluation a
// device and by default at most 48 more (usually 4 to 12).
[[nodiscard]] AgentEntry DpsAwareEntry();

}  // namespace opyard::agents
