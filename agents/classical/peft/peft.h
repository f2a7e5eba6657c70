// PEFT: predict earliest finish time.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Arabnejad and Barbosa, "List scheduling algorithm for heterogeneous systems by an optimistic cost
// table" (IEEE TPDS 2014), section 4. The ready op with the greatest mean of the table
// (optimistic_costs.h) goes to the device with the least sum of its end and the table's entry, in
// an idle gap if one is long enough. Means are over all devices and memory is ignored, as in the
// paper; deviations, and options that change that, stand in the entry. Uses at most 2 evaluations,
// 16 with other options, and no random numbers.
[[nodiscard]] AgentEntry PeftEntry();
// The aware version, `peft_aware` (planning/list_scheduling/aware_search.h): one evaluation a
// device and by default at most 48 more (usually 4 to 12).
[[nodiscard]] AgentEntry PeftAwareEntry();

}  // namespace opyard::agents
