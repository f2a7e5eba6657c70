// Placements by group, as agents decide them.
#pragma once

#include <vector>

#include "sim/base/ids.h"

namespace opyard::env {

// The device of each group of Problem::grouping(), where all its ops go: [num_groups].
using GroupPlacement = std::vector<DeviceId>;

}  // namespace opyard::env
