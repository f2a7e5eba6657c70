// The start of a search, as comparisons report it.
#pragma once

#include <string>
#include <vector>

#include "agents/base/agent_entry.h"
#include "sim/base/options.h"

namespace opyard::agents {

// The source of a search's first plans: a value of its option `start`, or what the agent says of
// itself. Plans of heuristics are "rules", "simple" and "single_device", but not "random" and
// "network". Empty for an agent that builds its plan, and for one in Python that does not say.
// REQUIRES: the agent takes `params`.
[[nodiscard]] std::string StartOf(const AgentEntry& entry, const Options& params);

// The meaning of that word: "random plans". The word itself where it is none of ours.
[[nodiscard]] std::string DescribeStart(const std::string& start);

// `info` with the table of its options and, unless it says where its search begins, the default of
// `start`, if that is one of them.
[[nodiscard]] AgentInfo WithOptions(AgentInfo info, std::vector<OptionInfo> options);

}  // namespace opyard::agents
