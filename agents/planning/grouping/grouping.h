// Which ops an agent decides together.
#pragma once

#include <cstdint>

#include "agents/base/option_table.h"
#include "env/problem.h"
#include "sim/graph/colocation.h"

namespace opyard::agents {

enum class GroupingRule : std::uint8_t {
  kProblem,         // the groups of the problem (its decide_per and max_groups)
  kSingleConsumer,  // these, merged by ColocRL's rule (sim/graph/single_consumer.h)
  kAsNeeded,        // by the same rule, but only if there are more than max_groups, and then into
                    // the smallest groups that are few enough: max_ops 2, 4, 8, …
  kMetis,           // max_groups parts that METIS makes (part_groups.h)
  kRandom,          // max_groups parts of equal counts, dealt at random
  kStages,          // about max_groups runs of the network's layers (stage_groups.h)
};

// The words for the rules in options and files.
[[nodiscard]] Words<GroupingRule> GroupingRuleWords();

struct GroupingOptions {
  GroupingRule rule = GroupingRule::kAsNeeded;
  std::int32_t max_ops = 64;      // of a group that ColocRL's rule makes, at most
  std::int32_t max_groups = 100;  // beyond, sim::CoarsenGroups merges, but not those of kStages
  std::int32_t seed = 0;          // of kMetis and kRandom
};

// Each group is a union of groups of the problem; groups are in the topological order of their
// first ops.
[[nodiscard]] sim::Grouping MakeGrouping(const env::Problem& problem,
                                         const GroupingOptions& options);

}  // namespace opyard::agents
