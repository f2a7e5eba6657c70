// `opyard profile list`, `profile validate` and `profile show`; and the arguments of `profile
// measure` and `profile fit-trace`, which the Python package runs.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommands to `app`; the chosen one sets `command` to its call.
void AddProfileArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
