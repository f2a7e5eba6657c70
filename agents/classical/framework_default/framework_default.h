// The plan of a framework without any placement by its user.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// The default triple that GO (Zhou et al., NeurIPS 2020) compares its joint decisions with. Every
// op that may run on an accelerator is on the first one (problem.default_placement()), queues are
// first come first served, and everything fuses that may (fusion priority 1 for all,
// docs/modelling.md, "Fusion"). What is no task stays as the problem's default has it, which may
// differ. One evaluation, no random numbers.
[[nodiscard]] AgentEntry FrameworkDefaultEntry();

}  // namespace opyard::agents
