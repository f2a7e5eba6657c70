// Orders that can never go on: ops that wait for each other in a ring.
#pragma once

#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// One wait of a cycle.
struct OrderWait {
  OpId op;
  OpId awaited;
  bool is_in_stream = false;  // `awaited` stands right before `op` in its stream; else it feeds it
  friend bool operator==(const OrderWait&, const OrderWait&) = default;
};

// The waits of one cycle: each `awaited` is the `op` of the next, that of the last the first `op`.
// Empty if every op comes to its turn. Without fusion, no cycle means that the plan completes where
// memory and the order of transfers let it. O(ops + edges). REQUIRES: the queue of `plan` has
// streams, and ValidatePlan accepts the plan.
[[nodiscard]] std::vector<OrderWait> FindOrderCycle(const OpGraph& graph, const Plan& plan);

// "op 3 "c" waits for its input from op 1 "a", which stands behind op 3 "c" …": the cycle for
// people. REQUIRES: `cycle` is not empty.
[[nodiscard]] std::string CycleText(const OpGraph& graph, const std::vector<OrderWait>& cycle);

}  // namespace opyard::sim
