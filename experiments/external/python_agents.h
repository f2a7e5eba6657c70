// Agents that users write in Python (docs/python.md, "Agents in Python"): where they are, what they
// say of themselves, and how they are run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agents/base/agent_registry.h"

namespace opyard::experiments {

struct PythonHost {
  // Starts the Python program that loads agents and runs them; empty: there is no Python here.
  std::vector<std::string> command;
  // Agents in packages (entry points of the group `opyard.agents`): where each is, by its name.
  std::map<std::string, std::string> installed;
};

// No agents, and a source of those that are written in Python: what is installed, and whatever is
// called MODULE:CLASS. Each is loaded, in a process of its own, when it is asked for.
[[nodiscard]] agents::AgentRegistry PythonAgents(PythonHost host);

}  // namespace opyard::experiments
