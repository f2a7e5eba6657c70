// m-ETF: earliest task first within the devices' memory.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Jeon et al., "Baechi: fast device placement of machine learning graphs" (SoCC 2020), m-ETF:
// repeatedly the ready op and device with the earliest possible start among the devices with room
// for it; ties by topological order. Outputs are freed after their last consumer, parameters stay.
// Uses one or two evaluations, and at most 7 where those plans run out of memory: then limits of
// 0.85 and 0.7 of the capacity are tried (memory_rule.h), and at last groups spread by falling
// bytes. No random numbers.
[[nodiscard]] AgentEntry MEtfEntry();
// The aware version, `m_etf_aware` (planning/list_scheduling/aware_search.h).
[[nodiscard]] AgentEntry MEtfAwareEntry();

}  // namespace opyard::agents
