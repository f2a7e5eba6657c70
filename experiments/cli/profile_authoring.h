// The arguments of `opyard profile new` and `profile import`, which the Python package runs.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds both subcommands to `group`, so that help and completion know them. Where the Python package
// does not take one first, its call throws an InputError that says where to get the package.
void AddProfileAuthoringArguments(CLI::App& group, Command& command);

}  // namespace opyard::experiments
