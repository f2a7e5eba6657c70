#include "agents/planning/multilevel/levels.h"

#include <map>
#include <tuple>

#include "agents/planning/partitioning/group_graph.h"
#include "sim/graph/colocation.h"

namespace opyard::agents {
namespace {

constexpr std::int32_t kCoarsest = 128;
constexpr std::int32_t kStep = 4;  // from level to level

// Equal numbers for ops that may run in the same places, and that `plan` treats alike. [num_ops]
std::vector<std::int32_t> SetsUnder(const env::Problem& problem, const sim::Plan& plan) {
  using Treatment = std::tuple<std::int32_t, DeviceId, std::int32_t>;
  std::map<Treatment, std::int32_t> numbers;
  std::vector<std::int32_t> set_of_op;
  const sim::PlaceSets places = problem.place_sets();
  for (std::size_t op = 0; op < places.size(); ++op) {
    const std::int32_t fusion = plan.fusion_priority.empty() ? 0 : plan.fusion_priority[op];
    const auto next = static_cast<std::int32_t>(numbers.size());
    set_of_op.push_back(
        numbers.try_emplace({places[op], plan.placement[op], fusion}, next).first->second);
  }
  return set_of_op;
}

}  // namespace

Levels::Levels(const env::Problem& problem)
    : finest_(std::make_shared<const env::Problem>(problem, problem.finest_grouping())) {
  const std::int32_t finest = problem.finest_grouping().num_groups;
  for (std::int64_t most = kCoarsest; 2 * most <= finest; most *= kStep) {
    most_groups_.push_back(static_cast<std::int32_t>(most));
  }
  most_groups_.push_back(finest);
}

std::shared_ptr<const env::Problem> Levels::View(std::size_t level) const {
  return level + 1 == size() ? finest_ : Coarsened(level, finest_->place_sets());
}

std::shared_ptr<const env::Problem> Levels::ViewUnder(std::size_t level,
                                                      const sim::Plan& plan) const {
  return level + 1 == size() ? finest_ : Coarsened(level, SetsUnder(*finest_, plan));
}

std::shared_ptr<const std::vector<GroupPartition>> Levels::ClustersOf(
    const env::Problem& view) const {
  if (&view != finest_.get()) {
    return nullptr;
  }
  if (clusters_ == nullptr) {
    clusters_ = std::make_shared<const std::vector<GroupPartition>>(
        agents::ClustersOf(BuildGroupGraph(view)));
  }
  return clusters_;
}

std::shared_ptr<const env::Problem> Levels::Coarsened(std::size_t level,
                                                      sim::PlaceSets places) const {
  return std::make_shared<const env::Problem>(
      *finest_,
      sim::CoarsenGroups(finest_->graph(), finest_->grouping(), most_groups_[level], places));
}

}  // namespace opyard::agents
