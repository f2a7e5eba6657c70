// The blocks of a device's `cost:` for ops with a shape block.
#pragma once

#include "sim/hardware/cost_parameters.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Each replaces those parameters in `cost` that the block gives, key by key. A block for an element
// type that `cost` has none for starts from the efficiency of heavy ops.
void ReadGemm(YamlReader& reader, const YamlNode& node, CostParameters& cost);
void ReadConv(YamlReader& reader, const YamlNode& node, CostParameters& cost);
void ReadAttention(YamlReader& reader, const YamlNode& node, CostParameters& cost);
// `step_overhead`, and a block for each element type.
void ReadRnn(YamlReader& reader, const YamlNode& node, CostParameters& cost);

}  // namespace opyard::sim
