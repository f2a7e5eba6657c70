#include "experiments/cli/command_line/plugin_option.h"

#include <array>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "experiments/external/plugin_agents.h"

namespace opyard::experiments {
namespace {

constexpr std::string_view kOption = "--plugin";

// Groups and their subcommands; a subcommand without a group has no second name.
constexpr auto kSubcommandsWithAgents =
    std::to_array<std::array<const char*, 2>>({{"run", nullptr},
                                               {"train", nullptr},
                                               {"tune", nullptr},
                                               {"place", nullptr},
                                               {"doctor", nullptr},
                                               {"agents", "list"},
                                               {"agents", "show"},
                                               {"results", "best-known"}});

}  // namespace

void AddPluginOption(CLI::App& app, std::vector<std::string>& files) {
  for (const auto& [group, name] : kSubcommandsWithAgents) {
    CLI::App* subcommand = app.get_subcommand(group);
    subcommand = name == nullptr ? subcommand : subcommand->get_subcommand(name);
    subcommand
        ->add_option(
            std::string(kOption),
            files,
            std::string("shared library with agents of your own; runs its code; more in ") +
                kPluginsVariable)
        ->type_name("FILE")
        ->expected(1)
        ->take_all();
  }
}

bool TakesPlugins(const CLI::App& app) {
  const CLI::App* subcommand = &app;
  while (!subcommand->get_subcommands().empty()) {
    subcommand = subcommand->get_subcommands().front();
  }
  return subcommand->get_option_no_throw(std::string(kOption)) != nullptr;
}

Command WithPluginAgents(Command command, std::vector<std::string> files) {
  return [command = std::move(command), files = std::move(files)](const Console& console) {
    std::vector<std::string> all = PluginsOfEnvironment();
    all.insert(all.end(), files.begin(), files.end());
    if (all.empty()) {
      return command(console);
    }
    const agents::AgentRegistry agents = WithPlugins(console.agents, all);
    return command({.out = console.out,
                    .err = console.err,
                    .out_is_terminal = console.out_is_terminal,
                    .err_is_terminal = console.err_is_terminal,
                    .interrupt = console.interrupt,
                    .agents = agents});
  };
}

std::vector<std::string> PluginsAmong(std::span<const std::string> words) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kOption && i + 1 < words.size()) {
      files.push_back(words[++i]);
    } else if (words[i].starts_with(std::string(kOption) + "=")) {
      files.push_back(words[i].substr(kOption.size() + 1));
    }
  }
  return files;
}

}  // namespace opyard::experiments
