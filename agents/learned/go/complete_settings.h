// The completion of settings by the agents of GO before they search.
#pragma once

#include "agents/learned/go/settings.h"

namespace opyard::agents::go {

// With the shipped weights (weights/go.opyard in the data folder) where the mode needs a trained
// network and no checkpoint is given. Throws InputError where `heads` does not divide `hidden`.
[[nodiscard]] Settings Completed(Settings settings);

}  // namespace opyard::agents::go
