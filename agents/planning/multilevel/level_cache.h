// What searches on levels work out once for a problem that they search in several slices.
#pragma once

#include <memory>

#include "agents/planning/local_search/group_clusters.h"
#include "agents/planning/multilevel/levels.h"
#include "env/problem.h"

namespace opyard::agents {

class LevelCache {
 public:
  // The levels of `problem`: those of the last call if it was the same problem. Valid until the
  // next call.
  [[nodiscard]] const Levels& LevelsOf(const env::Problem& problem);
  // The clusters of the finest level, made once; null for any other view, and where there are more
  // than kMostGroupsInClusters groups. REQUIRES: LevelsOf was called.
  [[nodiscard]] std::shared_ptr<const GroupClusters> ClustersOf(const env::Problem& view);

 private:
  std::unique_ptr<const Levels> levels_;
  std::shared_ptr<const GroupClusters> clusters_;
};

}  // namespace opyard::agents
