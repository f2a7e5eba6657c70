// The arguments of the subcommands of `opyard plan`.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommands to `app`; the chosen one sets `command` to its call.
void AddPlanArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
