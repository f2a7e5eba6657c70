// The arguments of `opyard task`, which the Python package runs.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the group `task` with `new` and `score`, so that help and completion know them. Where the
// Python package does not take them first, their calls throw an InputError that says where to get
// the package.
void AddTaskArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
