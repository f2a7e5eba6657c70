// Clusters of groups that exchange much, at several scales.
#pragma once

#include <cstddef>
#include <vector>

#include "agents/planning/partitioning/group_graph.h"

namespace opyard::agents {

struct GroupPartition {
  std::vector<std::size_t> part_of_group;
  std::vector<std::vector<std::size_t>> groups_of_part;  // ascending
};

[[nodiscard]] GroupPartition PartitionOf(std::vector<std::size_t> part_of_group);

// Partitions by METIS into 4, 8, 16, … parts, two of each: one of an imbalance of a tenth, one of a
// half. None of more than kMostGroupsInClusters groups.
[[nodiscard]] std::vector<GroupPartition> ClustersOf(const GroupGraph& graph);

// METIS takes seconds for the clusters of 10,000 groups.
inline constexpr std::size_t kMostGroupsInClusters = 4'096;

}  // namespace opyard::agents
