#include "agents/planning/local_search/group_clusters.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "agents/planning/partitioning/metis_partition.h"

namespace opyard::agents {

GroupPartition PartitionOf(std::vector<std::size_t> part_of_group) {
  GroupPartition partition;
  partition.groups_of_part.resize(std::ranges::max(part_of_group) + 1);
  for (std::size_t group = 0; group < part_of_group.size(); ++group) {
    partition.groups_of_part[part_of_group[group]].push_back(group);
  }
  partition.part_of_group = std::move(part_of_group);
  return partition;
}

std::vector<GroupPartition> ClustersOf(const GroupGraph& graph) {
  std::vector<GroupPartition> clusters;
  const std::size_t num_groups = graph.num_groups();
  if (num_groups > kMostGroupsInClusters) {
    return clusters;
  }
  for (std::size_t parts = 4; parts == 4 || 2 * parts <= num_groups; parts *= 2) {
    for (const std::int32_t seed : {0, 1}) {
      clusters.push_back(PartitionOf(PartitionGroups(
          graph, {.num_parts = parts, .imbalance = seed == 0 ? 0.1 : 0.5, .seed = seed})));
    }
  }
  return clusters;
}

}  // namespace opyard::agents
