// Which ops a sequence policy decides together, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "env/problem.h"

namespace opyard::agents {

enum class GroupRule : std::uint8_t {
  kProblem,         // the groups of the problem (its decide_per and max_groups)
  kSingleConsumer,  // these, merged by ColocRL's rule (sim/graph/single_consumer.h)
  kAsNeeded,        // by the same rule, but only if there are more than max_groups, and then into
                    // the smallest groups that are few enough: max_ops 2, 4, 8, …
};

// How options and files call the rules: in the order of the enumerators.
[[nodiscard]] std::vector<std::string> GroupRuleNames();

struct GroupSequenceOptions {
  GroupRule rule = GroupRule::kAsNeeded;
  std::int32_t max_ops = 64;      // of a group that ColocRL's rule makes, at most
  std::int32_t max_groups = 100;  // beyond, sim::CoarsenGroups merges
};

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
                                              const GroupSequenceOptions& options);

// One device per group of the problem. `device_of_group`: [sequence.num_groups], in
// [0, num_devices).
[[nodiscard]] std::vector<DeviceId> DeviceOfProblemGroups(
    const GroupSequence& sequence, std::span<const std::int64_t> device_of_group);

}  // namespace opyard::agents
