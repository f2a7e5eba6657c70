// `opyard bench env`: steps of the environments per second.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommand to `group`, for help and completion. The Python package carries it out: the
// environments that are measured are those of gymnasium. Here it throws InputError.
void AddBenchEnvArguments(CLI::App& group, Command& command);

}  // namespace opyard::experiments
