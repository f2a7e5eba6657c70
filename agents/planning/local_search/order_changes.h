// Changes of an order in which every op stands after those that it waits for.
#pragma once

#include <optional>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"

namespace opyard::agents {

// `order` with `op` right before `ahead`, and before it those from between the two that `op` waits
// for, directly or not. All others keep their order. Nothing where `op` waits for `ahead`, or
// stands before it. O(ops).
[[nodiscard]] std::optional<std::vector<OpId>> WithOpBefore(const sim::OpGraph& graph,
                                                            std::vector<OpId> order,
                                                            OpId op,
                                                            OpId ahead);

// `order` with `op` right behind `next`, and behind it those from between the two that wait for
// `op`, directly or not. All others keep their order. Nothing where `next` waits for `op`, or
// stands before it. O(ops).
[[nodiscard]] std::optional<std::vector<OpId>> WithOpBehind(const sim::OpGraph& graph,
                                                            std::vector<OpId> order,
                                                            OpId op,
                                                            OpId next);

}  // namespace opyard::agents
