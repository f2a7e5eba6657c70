// Clusters of groups that exchange much, at several scales.
#pragma once

#include <cstddef>
#include <vector>

#include "agents/planning/partitioning/group_graph.h"

namespace opyard::agents {

struct GroupClusters {
  std::vector<std::vector<std::size_t>> part_of_group;                // of each partition
  std::vector<std::vector<std::vector<std::size_t>>> groups_of_part;  // of each partition
};

// Partitions by METIS into 4, 8, 16, … parts, two of each: one of an imbalance of a tenth, one of a
// half.
[[nodiscard]] GroupClusters ClustersOf(const GroupGraph& graph);

// Most groups for which searches make them: METIS takes seconds for 10,000.
inline constexpr std::size_t kMostGroupsInClusters = 4'096;

}  // namespace opyard::agents
