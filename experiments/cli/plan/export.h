// `opyard plan export`.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommand to `group`; if it is chosen, it sets `command` to its call.
void AddPlanExportArguments(CLI::App& group, Command& command);

}  // namespace opyard::experiments
