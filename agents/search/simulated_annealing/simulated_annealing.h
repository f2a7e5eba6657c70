// Simulated annealing over per-group decisions.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Kirkpatrick, Gelatt and Vecchi (Science 1983). State: device and priority level of every group. A
// move (planning/local_search/moves.h) changes the device, or the level, of one group, of a run of
// neighbouring ones or of a connected region, swaps the devices of two, moves a group to the other
// end of a critical transfer, or takes a part of an elite over. With Δ = the relative
// change of the score, a move is accepted if Δ <= 0, else with probability exp(−Δ/T). Plans that
// run out of memory are left freely, entered only from others of their sort, and compared by how
// long they ran.
//
// It anneals on several levels of coarser and finer groups (planning/multilevel/level_search.h), a
// slice of the budget on one at a time, each slice a whole annealing from the best plan so far. The
// best starts of all levels (planning/level_starts.h) race first and are elites; `start: random`
// samples one start instead. The initial temperature accepts a worsening of the median size found
// among a batch of trial moves (a twentieth of the evaluations left, at
// most 20) with probability `initial_acceptance`. Cooling is geometric and tied to the budget: T =
// T0 · cooling^(100 · used share of the slice), or, with moves_per_temperature > 0, T0 ·
// cooling^(moves / moves_per_temperature), where a temperature below T0 / 10,000 starts a new
// cycle. Without any budget, moves_per_temperature is at least the number of groups. Each of the
// `restarts` + 1 cycles starts from the best state of its slice. Sequential: each move depends on
// the last answer, so threads do not matter (only the first batches use them). Where only one plan
// exists, it is evaluated once.
[[nodiscard]] AgentEntry SimulatedAnnealingEntry();

}  // namespace opyard::agents
