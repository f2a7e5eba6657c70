// HBMCT: hybrid balanced minimum completion time.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Sakellariou and Zhao, "A hybrid heuristic for DAG scheduling on heterogeneous systems" (HCW
// 2004): ops by falling upward rank are cut into batches of independent ones (hybrid_schedule.h),
// and each batch is balanced over the devices by BMCT (balanced_batch.h). Means are over all
// devices and memory is ignored, as in the paper; deviations, and options that change that, stand
// in the entry. Uses at most 2 evaluations, 16 with other options, and no random numbers.
[[nodiscard]] AgentEntry HbmctEntry();

}  // namespace opyard::agents
