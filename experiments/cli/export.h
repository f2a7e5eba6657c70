// The arguments of `opyard export`, `measure` and `execute`, which the Python package runs.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Each adds a subcommand to `app`, so that help and completion know it. Where the Python package
// does not take it first, its call throws an InputError that says where to get the package.
void AddExportArguments(CLI::App& app, Command& command);
void AddMeasureArguments(CLI::App& app, Command& command);
void AddExecuteArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
