// The option --plugin of the subcommands that name agents.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the option to each subcommand for which a user names agents, or whose answer depends on
// which agents there are. `files` outlives `app`.
void AddPluginOption(CLI::App& app, std::vector<std::string>& files);

// True if the subcommand that was parsed has the option.
[[nodiscard]] bool TakesPlugins(const CLI::App& app);

// `command`, given the agents of the plugins in `files`, too, and of those that the environment
// names. Loads them when it is run, and throws what WithPlugins throws.
[[nodiscard]] Command WithPluginAgents(Command command, std::vector<std::string> files);

// The plugins that the words of an unfinished command line name.
[[nodiscard]] std::vector<std::string> PluginsAmong(std::span<const std::string> words);

}  // namespace opyard::experiments
