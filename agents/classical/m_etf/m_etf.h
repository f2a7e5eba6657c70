// m-ETF: earliest task first within the devices' memory.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Jeon et al., "Baechi: fast device placement of machine learning graphs" (SoCC 2020), m-ETF:
// repeatedly the ready op and device with the earliest possible start among the devices with room
// for it; ties by topological order. Outputs are freed after their last consumer, parameters stay;
// an op that one op alone consumes goes with it (CoplacedGroups). One or two evaluations, whether
// or not they complete. No random numbers.
[[nodiscard]] AgentEntry MEtfEntry();
// The aware version, `m_etf_aware` (planning/list_scheduling/aware_search.h), without co-placement.
// Where all its plans run out of memory, limits of 0.85 and 0.7 of the capacity are tried, and at
// last groups spread by falling bytes.
[[nodiscard]] AgentEntry MEtfAwareEntry();

}  // namespace opyard::agents
