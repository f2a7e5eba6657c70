// Groups of a problem merged along ops that only one op reads.
#pragma once

#include "agents/base/option_table.h"
#include "env/problem.h"
#include "sim/graph/colocation.h"

namespace opyard::agents {

// Co-placement of Jeon et al., "Baechi: fast device placement of machine learning graphs" (SoCC
// 2020), as its program has it (CoplacementGrouper): an op that exactly one op consumes, by tensors
// or a control edge, joins that op. Each group is a union of groups of the problem, in the
// topological order of their first ops. Two deviations: a group of several ops counts as one op,
// since coarse groups would melt into one otherwise, and only groups that may run on the same
// devices merge. O(edges · log groups).
[[nodiscard]] sim::Grouping CoplacedGroups(const env::Problem& problem);

// The option `coplacement` of Baechi's placers.
template <class Settings>
[[nodiscard]] OptionRow<Settings> CoplacementRow(bool Settings::*member) {
  return {.name = "coplacement",
          .field = Flag(member),
          .meaning = "whether an op that one op alone consumes goes with that op",
          .paper = "true"};
}

inline constexpr const char* kCoplacementDeviation =
    "Co-placement takes a group of several ops as one op, and merges no groups that may run on "
    "different devices.";

}  // namespace opyard::agents
