// List scheduling with critical-path priorities.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Graham's list scheduling with the priority "longest path to a sink" (CP). Where placement is a
// task: ops by falling CP of mean costs, each appended on the device where it ends first (no
// insertion into idle gaps); a group goes as a whole (GroupDeviceRule::kWholeGroup). Means are over
// the devices of the main kind. Where scheduling is a task, CP is then taken over the actual
// placement and becomes the priorities: once without transfers (the classical CP), once with each
// transfer's time alone on its route; the problem's default queue is evaluated as well. Memory is
// ignored unless capacity_test (memory_rule.h) says otherwise. Uses at most 3 evaluations, 12 with
// that option, and no random numbers.
[[nodiscard]] AgentEntry CriticalPathEntry();
// The aware version, `critical_path_aware` (planning/list_scheduling/aware_search.h): one
// evaluation a device and at most 72 more (usually 6 to 18).
[[nodiscard]] AgentEntry CriticalPathAwareEntry();

}  // namespace opyard::agents
