// The exports of a shared library with agents (docs/cpp.md, "An agent of your own").
//
//   const opyard::agents::Plugin* opyard_plugin() {
//     static constexpr opyard::agents::Plugin kPlugin{.agents = MyAgents};
//     return &kPlugin;
//   }
#pragma once

#include <cstdint>
#include <vector>

#include "agents/base/agent_entry.h"
#include "sim/base/version.h"

namespace opyard::agents {

// Grows with every change of what plugins and opyard hand each other: entries, agents, problems,
// evaluators, plans.
inline constexpr std::uint32_t kPluginAbi = 3;

// The first three say by which headers the plugin was compiled. They are compared with those of the
// running opyard before anything of the plugin is called, stay in this order and have their
// defaults.
struct Plugin {
  std::uint32_t abi = kPluginAbi;
  std::uint32_t entry_bytes = sizeof(AgentEntry);  // differs with the standard library's settings
  const char* version = kVersion;
  // The agents that it adds, made as those of opyard (make_entry.h). Called once for each command.
  std::vector<AgentEntry> (*agents)() = nullptr;
};

}  // namespace opyard::agents

// The plugin defines it, in no namespace; it returns the same as long as the process lives.
extern "C" [[gnu::visibility("default")]] const opyard::agents::Plugin* opyard_plugin();
