// Completion of command lines in shells.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/registry.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// The subcommand that the scripts call; help does not show it.
inline constexpr std::string_view kCompleteSubcommand = "complete";

// Candidates for the last of `words`, which follow the program's name and of which the last may be
// empty or begun: subcommands, options, choices, and names of agents, graphs, machines,
// experiments. Sorted; empty where a file is expected, or anything goes.
[[nodiscard]] std::vector<std::string> Candidates(const CLI::App& app,
                                                  std::span<const std::string> words,
                                                  const agents::AgentRegistry& agents);

}  // namespace opyard::experiments
