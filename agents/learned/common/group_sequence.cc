#include "agents/learned/common/group_sequence.h"

#include <algorithm>

#include "sim/base/check.h"
#include "sim/graph/colocation.h"
#include "sim/graph/single_consumer.h"

namespace opyard::agents {
namespace {

// ColocRL's rule with groups of few ops, then with twice as many, up to `options.max_ops`, until
// there are few enough groups.
sim::Grouping MergedAsNeeded(const env::Problem& problem, const GroupSequenceOptions& options) {
  sim::Grouping grouping = problem.grouping();
  std::int32_t max_ops = 1;
  while (grouping.num_groups > options.max_groups && max_ops < options.max_ops) {
    max_ops = std::min(2 * max_ops, options.max_ops);
    grouping = sim::MergeSingleConsumers(problem.graph(), problem.grouping(), max_ops);
  }
  return grouping;
}

sim::Grouping MergedByRule(const env::Problem& problem, const GroupSequenceOptions& options) {
  switch (options.rule) {
    case GroupRule::kSingleConsumer:
      return sim::MergeSingleConsumers(problem.graph(), problem.grouping(), options.max_ops);
    case GroupRule::kAsNeeded:
      return MergedAsNeeded(problem, options);
    case GroupRule::kProblem:
      break;
  }
  return problem.grouping();
}

sim::Grouping MergedGroups(const env::Problem& problem, const GroupSequenceOptions& options) {
  sim::Grouping grouping = MergedByRule(problem, options);
  if (grouping.num_groups > options.max_groups) {
    grouping = sim::CoarsenGroups(problem.graph(), grouping, options.max_groups);
  }
  return grouping;
}

// A group may go where all groups of the problem in it may go.
std::vector<std::uint8_t> DeviceMask(const env::Problem& problem, const GroupSequence& sequence) {
  const auto num_devices = static_cast<std::size_t>(sequence.num_devices);
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(sequence.num_groups) * num_devices, 1);
  for (std::size_t part = 0; part < sequence.group_of_problem_group.size(); ++part) {
    const auto allowed = problem.AllowedDevices(static_cast<std::int32_t>(part));
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

std::vector<std::string> GroupRuleNames() {
  return {"problem", "single_consumer", "as_needed"};
}

bool GroupSequence::has_choice() const {
  return std::ranges::count(device_mask, 1) > num_groups;
}

GroupSequence MakeGroupSequence(const env::Problem& problem, const GroupSequenceOptions& options) {
  const sim::Grouping grouping = MergedGroups(problem, options);
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

std::vector<DeviceId> DeviceOfProblemGroups(const GroupSequence& sequence,
                                            std::span<const std::int64_t> device_of_group) {
  OPYARD_CHECK(device_of_group.size() == static_cast<std::size_t>(sequence.num_groups),
               "one device per group");
  std::vector<DeviceId> devices;
  devices.reserve(sequence.group_of_problem_group.size());
  for (const std::int32_t group : sequence.group_of_problem_group) {
    devices.emplace_back(
        static_cast<std::size_t>(device_of_group[static_cast<std::size_t>(group)]));
  }
  return devices;
}

}  // namespace opyard::agents
