// The devices that a machine is there for.
#pragma once

#include <vector>

#include "env/problem.h"

namespace opyard::env {

// The devices of the kind of the first accelerator, or of the first device where there is none,
// ascending. Features take their means over these, so that a slow host processor that no op needs
// is not in them.
[[nodiscard]] std::vector<DeviceId> MainDevices(const Problem& problem);

}  // namespace opyard::env
