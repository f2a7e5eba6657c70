// `opyard agents list` and `agents show`.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommands to `app`; the chosen one sets `command` to its call.
void AddAgentsArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
