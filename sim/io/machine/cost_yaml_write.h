// The `cost:` block of a device as YAML.
#pragma once

#include "sim/hardware/cost_parameters.h"
#include "sim/io/machine/flow_map.h"

namespace opyard::sim {

// All parameters, so that reading the text gives the same ones whatever the defaults of the kind.
[[nodiscard]] FlowMap CostFlowMap(const CostParameters& cost);

}  // namespace opyard::sim
