#include "agents/search/local_search/single_changes.h"

#include <algorithm>

namespace opyard::agents {
namespace {

// Level `index` of those other than `present`.
template <class Level>
Level OtherLevel(Level present, std::size_t index) {
  const auto level = static_cast<Level>(index);
  return level + (level >= present ? 1 : 0);
}

}  // namespace

SingleChanges::SingleChanges(const env::Problem& problem, std::int64_t num_levels)
    : problem_(problem), num_levels_(num_levels) {
  const std::size_t num_groups = NumGroups(problem);
  for (std::size_t group = 0; group < num_groups && problem.tasks().placement; ++group) {
    end_of_devices_ += problem.AllowedDevices(GroupId(group)).size() - 1;
    end_of_group_.push_back(end_of_devices_);
  }
  const auto per_group = [&](bool is_task, std::int64_t levels) {
    return is_task ? num_groups * static_cast<std::size_t>(levels - 1) : 0;
  };
  end_of_levels_ = end_of_devices_ + per_group(problem.tasks().scheduling, num_levels);
  end_of_fusion_ = end_of_levels_ + per_group(problem.tasks().fusion, kNumFusionLevels);
}

Decisions SingleChanges::Make(const Decisions& state, std::size_t index) const {
  Decisions changed = state;
  if (index < end_of_devices_) {
    const auto found = std::ranges::upper_bound(end_of_group_, index);
    const auto group = static_cast<std::size_t>(found - end_of_group_.begin());
    const std::size_t before = group == 0 ? 0 : end_of_group_[group - 1];
    const auto allowed = problem_.AllowedDevices(GroupId(group));
    const auto present = static_cast<std::size_t>(
        std::ranges::find(allowed, state.device_of_group[group]) - allowed.begin());
    changed.device_of_group[group] = allowed[OtherLevel(present, index - before)];
  } else if (index < end_of_levels_) {
    const auto others = static_cast<std::size_t>(num_levels_ - 1);
    std::int64_t& level = changed.priority_of_group[(index - end_of_devices_) / others];
    level = OtherLevel(level, (index - end_of_devices_) % others);
  } else {
    constexpr std::size_t kOthers = kNumFusionLevels - 1;
    std::int32_t& level = changed.fusion_of_group[(index - end_of_levels_) / kOthers];
    level = OtherLevel(level, (index - end_of_levels_) % kOthers);
  }
  return changed;
}

}  // namespace opyard::agents
