#include "agents/planning/grouping/group_sequence.h"

#include <algorithm>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

// A group may go where all groups of the problem in it may go.
std::vector<std::uint8_t> DeviceMask(const env::Problem& problem, const GroupSequence& sequence) {
  const auto num_devices = static_cast<std::size_t>(sequence.num_devices);
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(sequence.num_groups) * num_devices, 1);
  for (std::size_t part = 0; part < sequence.group_of_problem_group.size(); ++part) {
    const auto allowed = problem.AllowedDevices(GroupId(part));
    const auto row = static_cast<std::size_t>(sequence.group_of_problem_group[part]) * num_devices;
    for (std::size_t device = 0; device < num_devices; ++device) {
      if (!std::ranges::binary_search(allowed, DeviceId(device))) {
        mask[row + device] = 0;
      }
    }
  }
  return mask;
}

}  // namespace

bool GroupSequence::has_choice() const {
  return std::ranges::count(device_mask, 1) > num_groups;
}

GroupSequence MakeGroupSequence(const env::Problem& problem, const GroupingOptions& options) {
  const sim::Grouping grouping = MakeGrouping(problem, options);
  GroupSequence sequence{.num_groups = grouping.num_groups,
                         .num_devices = static_cast<std::int64_t>(problem.hardware().num_devices()),
                         .group_of_op = grouping.group_of,
                         .group_of_problem_group = std::vector<std::int32_t>(
                             static_cast<std::size_t>(problem.grouping().num_groups)),
                         .device_mask = {}};
  for (std::size_t op = 0; op < grouping.group_of.size(); ++op) {
    const auto part = static_cast<std::size_t>(problem.grouping().group_of[op]);
    sequence.group_of_problem_group[part] = grouping.group_of[op];
  }
  sequence.device_mask = DeviceMask(problem, sequence);
  return sequence;
}

std::vector<std::int64_t> AllowedDevices(const GroupSequence& sequence, std::int64_t group) {
  const auto first = static_cast<std::size_t>(group * sequence.num_devices);
  std::vector<std::int64_t> devices;
  for (std::int64_t device = 0; device < sequence.num_devices; ++device) {
    if (sequence.device_mask[first + static_cast<std::size_t>(device)] != 0) {
      devices.push_back(device);
    }
  }
  return devices;
}

env::GroupPlacement DeviceOfProblemGroups(const GroupSequence& sequence,
                                          std::span<const std::int64_t> device_of_group) {
  OPYARD_CHECK(device_of_group.size() == static_cast<std::size_t>(sequence.num_groups),
               "one device per group");
  env::GroupPlacement devices;
  devices.reserve(sequence.group_of_problem_group.size());
  for (const std::int32_t group : sequence.group_of_problem_group) {
    devices.emplace_back(
        static_cast<std::size_t>(device_of_group[static_cast<std::size_t>(group)]));
  }
  return devices;
}

}  // namespace opyard::agents
