// The arguments of `opyard profile calibrate` and `profile score`, which the Python package runs.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Each adds a subcommand to `profile`, so that help and completion know it. Where the Python
// package does not take it first, its call throws an InputError that says where to get the package.
void AddProfileCalibrateArguments(CLI::App& profile, Command& command);
void AddProfileScoreArguments(CLI::App& profile, Command& command);

}  // namespace opyard::experiments
