// Agents that users bring as shared libraries (docs/cpp.md, "An agent of your own").
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agents/base/agent_registry.h"

namespace opyard::experiments {

// The environment variable that names plugins beside those of the command line: paths separated by
// colons.
inline constexpr const char* kPluginsVariable = "OPYARD_PLUGINS";
[[nodiscard]] std::vector<std::string> PluginsOfEnvironment();

// `registry` with the agents of the plugins in `files`, each file once, however often it is named.
// To load one runs its code, in this process, and it stays until the process ends. What one of
// these agents throws is an InputError, if it was one, or else an agents::AgentFailure that names
// it. Throws InputError with a line for each file that is no plugin, or one for another opyard, or
// whose agents are not fit to be listed or called like others.
[[nodiscard]] agents::AgentRegistry WithPlugins(const agents::AgentRegistry& registry,
                                                const std::vector<std::string>& files);

}  // namespace opyard::experiments
