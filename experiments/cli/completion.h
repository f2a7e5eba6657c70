// `opyard completion`: the scripts that complete command lines in shells.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommand to `app`; if it is chosen, it sets `command` to its call.
void AddCompletionArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
