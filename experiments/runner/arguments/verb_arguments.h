// Arguments that all subcommands have in common.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/runner/arguments/command.h"

namespace opyard::experiments {

// The help of a subcommand.
struct VerbHelp {
  std::string name;
  std::string summary;
  std::string examples;  // one or more lines, each indented by two; tests parse them
};

// Adds a subcommand to `parent`, or a group of subcommands, one of which has to follow.
CLI::App& AddVerb(CLI::App& parent, const VerbHelp& help);
CLI::App& AddVerbGroup(CLI::App& parent, const VerbHelp& help);

// --json, --graph and --hardware as all subcommands have them. The variables that they are read
// into outlive the subcommand.
CLI::Option& AddJson(CLI::App& verb, bool& json);
void AddGraphAndMachine(CLI::App& verb, std::string& graph, std::string& hardware);

// When the subcommand is chosen, `command` becomes the call of `run` with `options`.
template <class VerbOptions>
void Choose(CLI::App& verb,
            Command& command,
            const std::shared_ptr<VerbOptions>& options,
            int (*run)(const VerbOptions&, const Console&)) {
  verb.callback([&command, options, run] {
    command = [options, run](const Console& console) { return run(*options, console); };
  });
}

}  // namespace opyard::experiments
