// One node per op, for the tests of Placeto.
#pragma once

#include "agents/planning/grouping/grouping.h"

namespace opyard::agents::placeto {

inline constexpr GroupingOptions kPerOp{.rule = GroupingRule::kProblem};

}  // namespace opyard::agents::placeto
