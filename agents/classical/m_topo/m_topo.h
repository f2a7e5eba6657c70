// m-TOPO: the devices filled one after the other in topological order.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// m-TOPO of Jeon et al., "Baechi: fast device placement of machine learning graphs" (SoCC 2020).
// Groups in topological order fill a main device until its bytes would exceed those of all groups ÷
// devices + those of the largest group; then the next one. By these limits every group finds room.
// A group's bytes are GroupBytes (group_memory.h); one that may not be on the device at hand goes
// to the roomiest that it may be on. Uses one evaluation, and at most 5 where that plan runs out of
// memory: capacity_test (memory_rule.h) then keeps to the devices' own limits, and at last spreads
// groups by falling bytes. No random numbers.
[[nodiscard]] AgentEntry MTopoEntry();
// The aware version, `m_topo_aware` (planning/list_scheduling/aware_search.h).
[[nodiscard]] AgentEntry MTopoAwareEntry();

}  // namespace opyard::agents
