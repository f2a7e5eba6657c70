// Plans in the queue that a problem asks for.
#pragma once

#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// True if devices of the problem have streams, whatever queue a plan is written for.
[[nodiscard]] bool AsksForStreams(const Problem& problem);

// `plan` as the devices of `problem` run it. Where the problem does not ask for streams, that is
// the plan. Under queue kProgram its ops run by topological index, under kOrder in the plan's own
// order or, where it has priorities instead and scheduling is a task, in that of a list schedule:
// of the ops whose producers are in the list, the one of the highest priority comes next (ties: the
// least topological index). Such an order never waits for itself. Without priorities kOrder is
// kProgram. Placement, fusion and priorities of transfers stay. O((ops + edges) log ops).
[[nodiscard]] sim::Plan InQueueOf(const Problem& problem, const sim::Plan& plan);

}  // namespace opyard::env
