// `opyard graph coarsen`.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphCoarsenOptions {
  std::string graph;
  std::string out;  // a graph file
  std::int64_t max_groups = 0;
  std::string rule = "readers";  // or "dominators"
  bool json = false;
};

// Writes the graph with a co-location label, "group0" and so on, on every op: which ops are placed
// together. Co-location groups grow by what only one group reads (MergeSingleConsumers), or into
// regions that data enters in one place (MergeDominated), then along the heaviest edges
// (CoarsenGroups), until at most `max_groups` are left. Ops, edges and figures stay: any plan of
// groups is a plan of ops. kAnswerIsNo if there are more groups, because ops that may run on
// different kinds of device never share one.
[[nodiscard]] int CoarsenGraph(const GraphCoarsenOptions& options, const Console& console);

}  // namespace opyard::experiments
