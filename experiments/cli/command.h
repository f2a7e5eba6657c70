// The call that a command line stands for.
#pragma once

#include <functional>

#include "experiments/console/console.h"

namespace opyard::experiments {

// A subcommand with its options; returns the exit code.
using Command = std::function<int(const Console&)>;

}  // namespace opyard::experiments
