// The answer of `opyard graph diff --json`.
#pragma once

#include <string>

#include "experiments/graphs/graph_difference.h"

namespace opyard::experiments {

// What concerns the graph itself has null for "op"; so have values that are defaults.
[[nodiscard]] std::string GraphDiffJson(const GraphDifference& difference);

}  // namespace opyard::experiments
