// Clusters of ops → numbered kernels.
#pragma once

#include "sim/fusion/cluster_set.h"
#include "sim/fusion/fuser.h"
#include "sim/fusion/fusion_graph.h"

namespace opyard::sim {

// Fills `workspace.kernels`, its topological_order left out.
void NumberKernels(const FusionGraph& graph,
                   const ClusterSet& clusters,
                   FusionWorkspace& workspace);

}  // namespace opyard::sim
