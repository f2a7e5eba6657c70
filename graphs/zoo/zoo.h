// The models of the zoo: training steps of known networks as generated graphs.
#pragma once

#include <memory>
#include <vector>

#include "graphs/common/graph_source.h"

namespace opyard::graphs {

// One source per model, named "zoo:rnnlm" and so on, sorted by name. Keys and their defaults stand
// in graphs/zoo/README.md and at the head of each model's file.
[[nodiscard]] std::vector<std::unique_ptr<const GraphSource>> ZooSources();

}  // namespace opyard::graphs
