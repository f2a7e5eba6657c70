// Graph partitioning as a placement.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Partitions the group graph (group_graph.h) into as many parts as there are main devices
// (MainDevices) with METIS_PartGraphKway; part k goes to main device k, with shares of the work by
// device speed. A group that may not be there goes to the one of its allowed devices with which it
// shares most bytes. Ignores the direction of edges and, like the published baseline, memory. The
// first try has METIS's seed 0 and 3 % imbalance and is the published single shot; the further
// tries differ by seed, by imbalance (10 %, 30 %, 3 %, 1 % in turn) and by a random assignment of
// parts to devices. The best counts. Where scheduling is a task, each distinct placement is judged
// with the default queue and with upward ranks (ranks.h) as priorities; where placement is none,
// with the default placement.
[[nodiscard]] AgentEntry MetisEntry();

}  // namespace opyard::agents
