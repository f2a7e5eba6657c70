#include "agents/planning/encoding/random_decisions.h"

namespace opyard::agents {

Decisions RandomDecisions(const env::Problem& problem, std::int64_t num_levels, Rng& rng) {
  Decisions decisions;
  const std::size_t num_groups = NumGroups(problem);
  if (problem.tasks().placement) {
    for (std::size_t group = 0; group < num_groups; ++group) {
      const auto allowed = problem.AllowedDevices(GroupId(group));
      decisions.device_of_group.push_back(allowed[rng.Below(allowed.size())]);
    }
  }
  if (problem.tasks().scheduling) {
    for (std::size_t group = 0; group < num_groups; ++group) {
      decisions.priority_of_group.push_back(rng.Between(0, num_levels - 1));
    }
  }
  if (problem.tasks().fusion) {
    for (std::size_t group = 0; group < num_groups; ++group) {
      decisions.fusion_of_group.push_back(static_cast<std::int32_t>(rng.Below(kNumFusionLevels)));
    }
  }
  return decisions;
}

}  // namespace opyard::agents
