// The subcommand `opyard profile diff`.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}

namespace opyard::experiments {

// Adds the subcommand to `group`, that of `opyard profile`.
void AddProfileDiffArguments(CLI::App& group, Command& command);

}  // namespace opyard::experiments
