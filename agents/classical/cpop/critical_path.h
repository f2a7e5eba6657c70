// The critical path of CPOP and the processor that runs it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"

namespace opyard::agents {

// The length of the longest path through each op: the sum of its upward and downward rank, with
// means over `devices` and transfers that take `mean`. [num_ops], in seconds
[[nodiscard]] std::vector<double> CpopPriorities(const env::Problem& problem,
                                                 const TransferTimes::Line& mean,
                                                 std::span<const DeviceId> devices);

// From the source with the greatest `priority`, [num_ops], to a sink, each time to the consumer
// with the greatest. Of those that are equal but for rounding the first in topological order, so
// that with CpopPriorities it is a longest path: an edge past some of its ops leaves none of them
// out. Empty for an empty graph.
[[nodiscard]] std::vector<OpId> CriticalPath(const sim::OpGraph& graph,
                                             std::span<const double> priority);

// That of `devices` on which the ops of `path` together take least time; ops that may not be there
// do not count. Equals: the first. REQUIRES: `devices` is not empty.
[[nodiscard]] DeviceId CriticalPathProcessor(const env::Problem& problem,
                                             const OpTimes& times,
                                             std::span<const OpId> path,
                                             std::span<const DeviceId> devices);

// `device` for the groups of the ops of `path`, nothing for others. [num_groups]
[[nodiscard]] std::vector<std::optional<DeviceId>> PreferOnPath(const env::Problem& problem,
                                                                std::span<const OpId> path,
                                                                DeviceId device);

}  // namespace opyard::agents
