// The common part of graph partitioners: shares of devices, and plans from parts.
#pragma once

#include <span>
#include <vector>

#include "agents/planning/partitioning/group_graph.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// The speed of each device at all the work, relative to each other: the reciprocal of its seconds;
// 1 where it has none. [devices]
[[nodiscard]] std::vector<double> SpeedsOf(const env::Problem& problem,
                                           std::span<const DeviceId> devices);

// Part k goes to devices[k]. A group that may not be there goes to the one of its allowed devices
// with whose groups it shares most bytes, the first of equals. [num_groups]
[[nodiscard]] env::GroupPlacement PlacementOfParts(const env::Problem& problem,
                                                   const GroupGraph& graph,
                                                   std::span<const std::size_t> part,
                                                   std::span<const DeviceId> devices);

// Appends the plan of `placement` (empty: the default one) with the default queue, and where
// scheduling is a task the one with upward ranks (ranks.h) as priorities, unless they are there.
void AddPlansOfPlacement(const env::Problem& problem,
                         const env::GroupPlacement& placement,
                         std::vector<sim::Plan>& plans);

}  // namespace opyard::agents
