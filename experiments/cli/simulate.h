// `opyard simulate`: one plan, executed, with the full report and on request its explanation.
#pragma once

#include "experiments/cli/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the subcommand to `app`; if it is chosen, it sets `command` to its call.
void AddSimulateArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
