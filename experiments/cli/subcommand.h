// Arguments that all subcommands have in common.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/command.h"

namespace opyard::experiments {

// The help of a subcommand.
struct SubcommandHelp {
  std::string name;
  std::string summary;
  std::string examples;  // one or more lines, each indented by two; tests parse them
};

// Adds a subcommand to `parent`, or a group of subcommands, one of which has to follow.
CLI::App& AddSubcommand(CLI::App& parent, const SubcommandHelp& help);
CLI::App& AddSubcommandGroup(CLI::App& parent, const SubcommandHelp& help);

// --json, --graph and --hardware, and the positional argument of `opyard graph`, as all subcommands
// have them. The variables that they are read into outlive the subcommand.
CLI::Option& AddJson(CLI::App& subcommand, bool& json);
void AddGraphAndMachine(CLI::App& subcommand, std::string& graph, std::string& hardware);
void AddGraphArgument(CLI::App& subcommand, std::string& graph);

// The help of an argument that names a graph.
inline constexpr const char* kGraphHelp = "graph file, name or family";

// When the subcommand is chosen, `command` throws an InputError: that only the Python package runs
// `opyard NAME`, and that `pip install PACKAGE` brings it. `words` holds what is read into and
// lives as long as the subcommand.
void RefuseWithoutPackage(CLI::App& subcommand,
                          Command& command,
                          const std::shared_ptr<void>& words,
                          const std::string& name,
                          const std::string& package = ".");

// When the subcommand is chosen, `command` becomes the call of `run` with `options`.
template <class SubcommandOptions>
void Choose(CLI::App& subcommand,
            Command& command,
            const std::shared_ptr<SubcommandOptions>& options,
            int (*run)(const SubcommandOptions&, const Console&)) {
  subcommand.callback([&command, options, run] {
    command = [options, run](const Console& console) { return run(*options, console); };
  });
}

}  // namespace opyard::experiments
