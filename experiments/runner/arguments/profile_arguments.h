// The arguments of the verbs of `opyard profile`.
#pragma once

#include "experiments/runner/arguments/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the verbs to `app`; the one that is chosen makes `command` the call to make.
void AddProfileArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
