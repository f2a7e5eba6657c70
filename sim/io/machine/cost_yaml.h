// The `cost:` block of a device.
#pragma once

#include "sim/hardware/device.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Replaces those parameters in `cost` that the block gives, key by key. A GEMM or convolution block
// for an element type that `cost` has none for starts from the efficiency of heavy ops.
void ReadCostParameters(YamlReader& reader, const YamlNode& node, CostParameters& cost);

}  // namespace opyard::sim
