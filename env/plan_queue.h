// Plans as a problem asks for them: in its queue, in the network's order, inside of modules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "env/problem.h"
#include "sim/graph/op_graph.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// True if devices of the problem have streams, whatever queue a plan is written for.
[[nodiscard]] bool AsksForStreams(const Problem& problem);

// True if agents decide the order of streams: the problem's queue is kOrder, and scheduling a task.
[[nodiscard]] bool AsksForOrder(const Problem& problem);

// All ops in the order of a list schedule: of those whose producers are in the list, the one of the
// highest priority comes next (ties: the least topological index). O((ops + edges) log ops).
// REQUIRES: `priority` is [num_ops].
[[nodiscard]] std::vector<OpId> ListOrderOf(const sim::OpGraph& graph,
                                            std::span<const std::int64_t> priority);

// `plan` with what the problem asks of all plans: where devices follow the network's order, the
// nearest placement that does (contiguity.h); where kernels stay inside of modules, their regions.
// A plan that loses its placement loses its orders, of streams and of transfers, too, and runs by
// topological index where it had streams.
[[nodiscard]] sim::Plan AsAsked(const Problem& problem, const sim::Plan& plan);
// True if that is `plan` itself.
[[nodiscard]] bool IsAsAsked(const Problem& problem, const sim::Plan& plan);

// True if plans are simulated as they are given.
[[nodiscard]] bool RunsAsGiven(const Problem& problem, const sim::Plan& plan);

// `plan` as it is simulated: itself where RunsAsGiven, else AsAsked in the queue of the problem.
// Where the queue is kProgram, or kOrder and agents do not decide the order, its ops run by
// topological index. Where agents do, plans with
// priorities stand for the order in which their run starts the ops; if no order repeats that run
// (`transfers.one_per: edge`), for ListOrderOf their priorities. Placement, fusion and priorities
// of transfers stay. O((ops + edges) log ops).
[[nodiscard]] sim::Plan InQueueOf(const Problem& problem, const sim::Plan& plan);

// `plan` in the queue that the problem asks for, to be handed over: with the order of its run
// (sim/analysis/order_of_run.h), which it repeats to the picosecond; where the run does not
// complete, with ListOrderOf its priorities, or as program. One simulation.
[[nodiscard]] sim::Plan InStreamsOf(const Problem& problem, const sim::Plan& plan);

}  // namespace opyard::env
