// The answers of `opyard agents list --json` and `opyard agents show --json`.
#pragma once

#include <string>
#include <vector>

#include "agents/base/agent_info.h"

namespace opyard::experiments {

[[nodiscard]] std::string AgentsListJson(const std::vector<agents::AgentInfo>& agents);

// With its options and its deviations from the paper.
[[nodiscard]] std::string AgentJson(const agents::AgentInfo& agent);

}  // namespace opyard::experiments
