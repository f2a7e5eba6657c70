// The levels of a problem and the clusters of its groups, kept for searches in several slices.
#pragma once

#include <memory>
#include <vector>

#include "agents/planning/local_search/group_clusters.h"
#include "agents/planning/multilevel/levels.h"
#include "env/problem.h"

namespace opyard::agents {

class LevelCache {
 public:
  // The levels of `problem`: those of the last call if it was the same problem. Valid until the
  // next call.
  [[nodiscard]] const Levels& LevelsOf(const env::Problem& problem);
  // The clusters of the finest level, made once; null for any other view. REQUIRES: LevelsOf was
  // called.
  [[nodiscard]] std::shared_ptr<const std::vector<GroupPartition>> ClustersOf(
      const env::Problem& view);

 private:
  std::unique_ptr<const Levels> levels_;
  std::shared_ptr<const std::vector<GroupPartition>> clusters_;
};

}  // namespace opyard::agents
