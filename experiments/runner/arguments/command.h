// What a command line comes to.
#pragma once

#include <functional>

#include "experiments/runner/console/console.h"

namespace opyard::experiments {

// A verb with its options; returns the exit code.
using Command = std::function<int(const Console&)>;

}  // namespace opyard::experiments
