// The levels of a multilevel search: views of one problem with more and more groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agents/planning/local_search/group_clusters.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// Level 0 is the coarsest, of at most 128 groups; each further one has four times as many; the last
// one is the finest grouping of the problem. Plans of all views are plans of the problem. Used by
// one thread at a time.
class Levels {
 public:
  explicit Levels(const env::Problem& problem);

  // The view of the last level.
  [[nodiscard]] const env::Problem& finest() const { return *finest_; }
  // At least 1.
  [[nodiscard]] std::size_t size() const { return most_groups_.size(); }
  // The most groups of `level`.
  [[nodiscard]] std::int32_t MostGroups(std::size_t level) const { return most_groups_[level]; }

  // The problem with the groups of `level`: sim::CoarsenGroups of the finest ones.
  [[nodiscard]] std::shared_ptr<const env::Problem> View(std::size_t level) const;
  // The same, but for groups that `plan` treats alike: groups on two devices, or with two fusion
  // priorities, are not merged, so that the decisions of the view come to `plan` again. On the last
  // level always the same object.
  [[nodiscard]] std::shared_ptr<const env::Problem> ViewUnder(std::size_t level,
                                                              const sim::Plan& plan) const;
  // The clusters of the finest level (group_clusters.h), made by the first call; null for the views
  // of others, whose groups are such clusters.
  [[nodiscard]] std::shared_ptr<const std::vector<GroupPartition>> ClustersOf(
      const env::Problem& view) const;

 private:
  [[nodiscard]] std::shared_ptr<const env::Problem> Coarsened(std::size_t level,
                                                              sim::PlaceSets places) const;

  std::shared_ptr<const env::Problem> finest_;
  std::vector<std::int32_t> most_groups_;  // ascending
  mutable std::shared_ptr<const std::vector<GroupPartition>> clusters_;
};

}  // namespace opyard::agents
