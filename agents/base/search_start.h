// Where a search begins: what comparisons have to know of it.
#pragma once

#include <string>
#include <vector>

#include "agents/base/agent_entry.h"
#include "sim/base/options.h"

namespace opyard::agents {

// What the first plans of a search come from: a value of its option `start`, or what it says of
// itself. "rules", "simple" and "single_device" are plans of heuristics, "random" and "network" are
// not. "" for an agent that builds its plan, and for one in Python that does not say.
// REQUIRES: the agent takes `params`.
[[nodiscard]] std::string StartOf(const AgentEntry& entry, const Options& params);

// What that word means: "random plans". Itself where it is none of ours.
[[nodiscard]] std::string DescribeStart(const std::string& start);

// `info` with the table of its options and, unless it says where its search begins, the default of
// `start`, if that is one of them.
[[nodiscard]] AgentInfo WithOptions(AgentInfo info, std::vector<OptionInfo> options);

}  // namespace opyard::agents
