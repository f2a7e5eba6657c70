// Recursive minimum cuts as a placement.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Parts the groups between two halves of the main devices (MainDevices), then each part between the
// halves of its half and so on, by minimum s–t cuts within a balance (balanced_cut.h: FBB of Yang
// and Wong, ICCAD 1994). What is cut is time: each tensor costs its transfer once, the latency plus
// bytes / bandwidth averaged over the routes between the two halves in both directions. What is
// balanced is compute: each half's share is that of its devices by speed, within `imbalance` of it.
// The first try begins at the first and the last group (GroupsInTopologicalOrder) of each part, the
// further tries at two random ones; the best plan counts. If no plan completes, the same tries are
// cut again with the groups' memory (GroupBytes) in balance by capacity instead of compute. A group
// that may not be on the main devices weighs nothing, and goes to the one of its allowed devices
// with which it shares most bytes. Where scheduling is a task, each distinct placement is evaluated
// with the default queue and with upward ranks (ranks.h) as priorities; where placement is none,
// the default placement is.
//
// Ours: the "MinCut" of ColocRL (Mirhoseini et al., ICML 2017) is Scotch's k-way partition, which
// `metis` stands for. Blind to the order of work, as that is.
[[nodiscard]] AgentEntry MinCutEntry();

}  // namespace opyard::agents
