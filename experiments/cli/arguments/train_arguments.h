// The arguments of `opyard train`.
#pragma once

#include "experiments/cli/arguments/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommand to `app`; if it is chosen, it sets `command` to its call.
void AddTrainArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
