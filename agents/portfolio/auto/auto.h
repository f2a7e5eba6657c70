// A portfolio: what a user who does not want to choose an agent should get.
#pragma once

#include <vector>

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Other agents, each at its defaults in a slice of the budget (env::Evaluator::Slice).
//
// A tenth of the budget at most, or twenty evaluations if that is more, goes to heuristics: four
// fifths of them to the starts on all levels (level_starts.h), then a fifth at most to each of the
// `members` that build plans. The starts then race for a fifth of what is
// left, improved by local_search (level_search.h). Then come the members that search, each from its
// own best plan: all of them for `probe_fraction` of the budget, and after that, again and again,
// the one whose last slice gained most for its share. One whose plan is behind the best plan by
// more than another such slice would gain goes on from the best plan. A member that goes from level
// to level (level_agent.h) searches one level in a slice of `probe_fraction`, and samples levels by
// what all its slices have come to. Slices of others, or where there is one level, are twice as
// long as the last one if that gained, up to half of what is left. A member with nothing to decide
// in the problem is left out, and so is one whose search needs more evaluations than there are:
// `cross_entropy` takes part from 2,000 on, `brkga` from 20,000, and `list_search` from twenty for
// each op.
//
// As algorithm portfolios (Huberman, Lukose and Hogg, Science 1997) divide time; the rule by which
// it divides is ours.
[[nodiscard]] AgentEntry AutoEntry(std::vector<AgentEntry> members);

}  // namespace opyard::agents
