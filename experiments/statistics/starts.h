// Groups of the agents of a comparison by the start of their searches.
#pragma once

#include <string>
#include <vector>

#include "experiments/store/run_record.h"

namespace opyard::experiments {

// Agents, by their labels, whose searches begin at the same kind of plans.
struct StartGroup {
  std::string start;  // RunRecord::start
  std::vector<std::string> agents;
};

// Those of `runs`, in the order in which they come there; agents that build their plans, or do not
// say where they begin, are in none.
[[nodiscard]] std::vector<StartGroup> StartGroupsOf(const std::vector<RunRecord>& runs);

// A note on unequal starts for the reader of a table, on one line; "" where all begin alike.
[[nodiscard]] std::string UnequalStartsText(const std::vector<StartGroup>& groups);

}  // namespace opyard::experiments
