// The arguments of `opyard duel`, which the Python package runs.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommand, so that help and completion know it. Where the Python package does not take
// it first, its call throws an InputError that says where to get the package.
void AddDuelArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
