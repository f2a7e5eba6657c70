#include "agents/planning/local_search/group_clusters.h"

#include <cstdint>
#include <utility>

#include "agents/planning/partitioning/metis_partition.h"

namespace opyard::agents {

GroupClusters ClustersOf(const GroupGraph& graph) {
  GroupClusters clusters;
  const std::size_t num_groups = graph.num_groups();
  for (std::size_t parts = 4; parts == 4 || 2 * parts <= num_groups; parts *= 2) {
    for (const std::int32_t seed : {0, 1}) {
      std::vector<std::size_t> part = PartitionGroups(
          graph, {.num_parts = parts, .imbalance = seed == 0 ? 0.1 : 0.5, .seed = seed});
      std::vector<std::vector<std::size_t>> groups(parts);
      for (std::size_t group = 0; group < num_groups; ++group) {
        groups[part[group]].push_back(group);
      }
      clusters.part_of_group.push_back(std::move(part));
      clusters.groups_of_part.push_back(std::move(groups));
    }
  }
  return clusters;
}

}  // namespace opyard::agents
