// HEFT: heterogeneous earliest finish time.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Topcuoglu, Hariri and Wu (IEEE TPDS 2002), section 4: ops by falling upward rank, each to the
// device where it ends first, in an idle gap if one is long enough. Means are over all devices and
// memory is ignored, as in the paper; deviations, and options that change that, stand in the entry.
// Uses at most 4 evaluations, 32 with other options, and no random numbers.
[[nodiscard]] AgentEntry HeftEntry();
// The aware version, `heft_aware` (planning/list_scheduling/aware_search.h): one evaluation a
// device and at most 72 more (usually 2 to 12).
[[nodiscard]] AgentEntry HeftAwareEntry();

}  // namespace opyard::agents
