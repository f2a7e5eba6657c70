// The arguments of the verbs of `opyard bench`.
#pragma once

#include "experiments/runner/arguments/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the verbs to `app`; the one that is chosen makes `command` the call to make.
void AddBenchArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
