// Hill climbing with restarts over per-group decisions.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// A baseline of REGAL (Paliwal et al., ICLR 2020, section 5: "Local Search"; its settings are not
// published). It searches on several levels of coarser and finer groups
// (planning/multilevel/level_search.h), a slice of the budget on one at a time: the best starts of
// all levels race first, and what they become are elites. Moves (planning/local_search/moves.h: one
// group, a region, a run, a swap, a part of another elite, the other end of a critical transfer;
// device, priority, fusion) are sampled at random; one that makes the plan no worse is taken at
// once, so that plateaus are crossed. After `patience` moves without a better plan the climb begins
// again: from the best plan so far with some of its groups moved (`restart: kick`), or from a
// random plan.
//
// `faithful` is the published search as far as it is known. It begins with a random start; of all
// plans that differ in the device or the priority of one group, evaluated in batches, the best is
// taken, until none is better. Then comes a new random start. It uses all threads.
//
// Sequential unless faithful: each move depends on the last answer. Where only one plan exists, it
// is evaluated once.
[[nodiscard]] AgentEntry LocalSearchEntry();

}  // namespace opyard::agents
