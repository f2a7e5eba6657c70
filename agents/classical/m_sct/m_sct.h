// m-SCT: small communication times within the devices' memory.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// m-SCT of Jeon et al., "Baechi: fast device placement of machine learning graphs" (SoCC 2020),
// after Hanen and Munier (1995). A relaxed linear program gives each op at most one favourite child
// and one favourite parent (favourites.h). Then the earliest task comes first as in m_etf, but a
// device that ran an op waits for its favourite child unless an op comes first that could start
// anywhere (earliest_start_schedule.h). Beyond `lp_edges` edges, and where the program has no
// solution after 100,000 steps, favourites are the dearest transfers. Evaluations and memory are as
// with m_etf. No random numbers.
[[nodiscard]] AgentEntry MSctEntry();
// The aware version, `m_sct_aware` (planning/list_scheduling/aware_search.h).
[[nodiscard]] AgentEntry MSctAwareEntry();

}  // namespace opyard::agents
