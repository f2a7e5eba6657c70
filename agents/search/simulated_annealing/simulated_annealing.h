// Simulated annealing over per-group decisions.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Kirkpatrick, Gelatt and Vecchi (Science 1983). State: device and priority level of every group. A
// move (planning/local_search/moves.h) changes the device, or the level, of one group, of a run of
// neighbouring ones or of a connected region, swaps the devices of two, moves a group to the other
// end of a critical transfer, or takes a part of another start's plan over. With Δ = the relative
// change of the score, a move is accepted if Δ <= 0, else with probability exp(−Δ/T). Plans that
// run out of memory are left freely, entered only from others of their sort, and compared by how
// long they ran.
//
// Start: the winner of a race (planning/local_search/start_race.h), at temperature 0, among the
// best of InitialPlans (planning/all_initial_plans.h), which are evaluated first, as brkga does;
// `start: random` samples one instead. The initial temperature accepts a worsening of
// the median size found // among a batch of trial moves (a twentieth of the evaluations left, at
// most 20) with probability `initial_acceptance`. Cooling is geometric and tied to the budget: T =
// T0 · cooling^(100 · used share), or, with moves_per_temperature > 0, T0 · cooling^(moves /
// moves_per_temperature), where a temperature below T0 / 10,000 starts a new cycle. Without any
// budget, moves_per_temperature is at least the number of groups. Each of the `restarts` + 1 cycles
// starts from the best state so far. Sequential: each move depends on the last answer, so threads
// do not matter (only the first batches use them). Where only one plan exists, it is evaluated
// once.
[[nodiscard]] AgentEntry SimulatedAnnealingEntry();

}  // namespace opyard::agents
