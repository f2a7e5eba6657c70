// Turns arguments into a call that is ready to be made. The only place that knows CLI11.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/runner/console/console.h"

namespace opyard::experiments {

// A verb with its options; returns the exit code.
using Command = std::function<int(const Console&)>;

// Reads the arguments. Help and version are commands that print. Throws InputError, one line, for
// anything that is wrong with them.
[[nodiscard]] Command ParseCommandLine(const std::vector<std::string>& args);

}  // namespace opyard::experiments
