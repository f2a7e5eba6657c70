// BRKGA: a genetic algorithm with biased random keys.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// The search of agents/genetic/brkga_search.h with all genes uniform, from the plans of the best
// rules. Deviations and options stand in the entry.
[[nodiscard]] AgentEntry BrkgaEntry();

// The same with the settings that REGAL is measured against as defaults: from random genes alone.
[[nodiscard]] AgentEntry Brkga5kEntry();

// The same with the settings of a file (tuned_settings.h).
[[nodiscard]] AgentEntry BrkgaTunedEntry();

}  // namespace opyard::agents
