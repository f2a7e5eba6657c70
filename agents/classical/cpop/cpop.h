// CPOP: critical path on a processor.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Topcuoglu, Hariri and Wu (IEEE TPDS 2002), section 4: the ready op with the greatest sum of
// upward and downward rank comes next; the ops of the critical path all go to the one device that
// runs them fastest, each other op where it ends first, in an idle gap if one is long enough. Means
// are over all devices and memory is ignored, as in the paper; deviations, and options that change
// that, stand in the entry. Uses at most 2 evaluations, 16 with other options, and no random
// numbers.
[[nodiscard]] AgentEntry CpopEntry();
// The aware version, `cpop_aware` (planning/list_scheduling/aware_search.h): one evaluation a
// device and by default at most 48 more (usually 4 to 12).
[[nodiscard]] AgentEntry CpopAwareEntry();

}  // namespace opyard::agents
