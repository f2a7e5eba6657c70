#include "agents/planning/multilevel/level_cache.h"

#include "agents/planning/partitioning/group_graph.h"

namespace opyard::agents {
namespace {

// Views keep the simulator and the groups of their problem alive, so that their addresses name it.
bool IsSame(const env::Problem& view, const env::Problem& problem) {
  return view.shared_simulator() == problem.shared_simulator() &&
         &view.finest_grouping() == &problem.finest_grouping();
}

}  // namespace

const Levels& LevelCache::LevelsOf(const env::Problem& problem) {
  if (levels_ == nullptr || !IsSame(levels_->finest(), problem)) {
    levels_ = std::make_unique<const Levels>(problem);
    clusters_.reset();
  }
  return *levels_;
}

std::shared_ptr<const std::vector<GroupPartition>> LevelCache::ClustersOf(
    const env::Problem& view) {
  if (&view != &levels_->finest()) {
    return nullptr;
  }
  if (clusters_ == nullptr) {
    clusters_ = std::make_shared<const std::vector<GroupPartition>>(
        agents::ClustersOf(BuildGroupGraph(view)));
  }
  return clusters_;
}

}  // namespace opyard::agents
