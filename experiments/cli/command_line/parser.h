// Turns arguments into a call that is ready to be made.
#pragma once

#include <string>
#include <vector>

#include "experiments/cli/command.h"

namespace opyard::experiments {

// Reads the arguments. Help and version are commands that print. Throws InputError, one line, for
// anything that is wrong with them.
[[nodiscard]] Command ParseCommandLine(const std::vector<std::string>& args);

}  // namespace opyard::experiments
