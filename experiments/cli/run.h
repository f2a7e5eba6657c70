// `opyard run` (also `sweep`): the whole matrix of an experiment, and its table.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommand to `app`; if it is chosen, it sets `command` to its call.
void AddRunArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
