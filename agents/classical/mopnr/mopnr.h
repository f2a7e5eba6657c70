// Most operations remaining first.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Graham's list scheduling of the default placement with the priority rule MOPNR (Haupt, "A survey
// of priority rule-based scheduling", OR Spektrum 1989), as it is used on graphs. The ready op with
// most ops on its path to a sink runs first, whatever time they take. One evaluation, no random
// numbers.
[[nodiscard]] AgentEntry MopnrEntry();
// The aware version, `mopnr_aware` (planning/list_scheduling/aware_search.h).
[[nodiscard]] AgentEntry MopnrAwareEntry();

}  // namespace opyard::agents
