// The arguments of `opyard tune`.
#pragma once

#include "experiments/runner/arguments/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the verb to `app`; when it is chosen, `command` becomes the call to make.
void AddTuneArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
