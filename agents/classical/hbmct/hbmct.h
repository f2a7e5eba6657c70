// HBMCT: hybrid balanced minimum completion time.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Sakellariou and Zhao, "A hybrid heuristic for DAG scheduling on heterogeneous systems" (HCW
// 2004): ops by falling upward rank are cut into batches of independent ones (hybrid_schedule.h),
// and each batch is balanced over the devices by BMCT (balanced_batch.h). Deviations and options
// stand in the entry. Uses at most 8 evaluations, and no random numbers.
[[nodiscard]] AgentEntry HbmctEntry();

}  // namespace opyard::agents
