// Which ops a sequence policy decides together, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agents/planning/grouping/grouping.h"
#include "env/group_placement.h"
#include "env/problem.h"

namespace opyard::agents {

// The groups in topological order (of their first ops). Each is a union of groups of the problem.
struct GroupSequence {
  std::int64_t num_groups = 0;
  std::int64_t num_devices = 0;
  std::vector<std::int32_t> group_of_op;             // [num_ops], in [0, num_groups)
  std::vector<std::int32_t> group_of_problem_group;  // [problem groups], in [0, num_groups)
  std::vector<std::uint8_t> device_mask;  // [num_groups, num_devices] row-major, 1: allowed

  // Whether some group has a choice.
  [[nodiscard]] bool has_choice() const;
};

[[nodiscard]] GroupSequence MakeGroupSequence(const env::Problem& problem,
                                              const GroupingOptions& options);

// Where `group` may be, ascending; never empty.
[[nodiscard]] std::vector<std::int64_t> AllowedDevices(const GroupSequence& sequence,
                                                       std::int64_t group);

// One device per group of the problem. `device_of_group`: [sequence.num_groups], in
// [0, num_devices).
[[nodiscard]] env::GroupPlacement DeviceOfProblemGroups(
    const GroupSequence& sequence, std::span<const std::int64_t> device_of_group);

}  // namespace opyard::agents
