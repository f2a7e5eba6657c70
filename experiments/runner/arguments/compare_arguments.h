// The arguments of `opyard compare`, which the Python package runs.
#pragma once

#include "experiments/runner/arguments/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the verb to `app`, so that help and completion know it. Where the Python package does not
// take it first, it is a call that throws InputError, which says where it is to be had.
void AddCompareArguments(CLI::App& app, Command& command);

}  // namespace opyard::experiments
