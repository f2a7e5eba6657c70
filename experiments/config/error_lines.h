// The lines of an error, so that each can be given a place in an experiment.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"

namespace opyard::experiments {

[[nodiscard]] std::vector<std::string> LinesOf(const Error& error);

// Adds each line as a problem at `place`.
void AddLines(const std::string& place, const Error& error, Diagnostics& diagnostics);

}  // namespace opyard::experiments
