// A portfolio: what a user who does not want to choose an agent should get.
#pragma once

#include <vector>

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Other agents, each at its defaults in a slice of the budget (env::Evaluator::Slice), but `metis`
// with AffordableTries (metis_tries.h) where evaluations have a limit. First those of `members`
// that build plans: none of them may take more than a quarter of the budget. Then those that
// search, each from the best plan so far: all of them for `probe_fraction` of the budget. After
// that, again and again, the one that gained most in its last slice takes three quarters of what is
// left (but no less than `probe_fraction`), the one that has used least where none gained. A member
// with nothing to decide in the problem is left out. Since every plan goes through one evaluator,
// and members that build plans sample what they sample alone, it is never worse than any of these
// at the same seed, as long as the budget reaches it.
//
// As algorithm portfolios (Huberman, Lukose and Hogg, Science 1997) divide time; the rule by which
// it divides is ours.
[[nodiscard]] AgentEntry AutoEntry(std::vector<AgentEntry> members);

}  // namespace opyard::agents
