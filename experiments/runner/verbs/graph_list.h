// `opyard graph info` and `graph list`.
#pragma once

#include <string>

#include "experiments/runner/console.h"

namespace opyard::experiments {

struct GraphInfoOptions {
  std::string graph;
  bool json = false;
};

// Counts of one graph; `depth` is the number of ops on its longest path.
[[nodiscard]] int PrintGraphInfo(const GraphInfoOptions& options, const Console& console);

struct GraphListOptions {
  bool json = false;
};

// The graphs that can be named: shipped ones and generated families.
[[nodiscard]] int PrintGraphList(const GraphListOptions& options, const Console& console);

}  // namespace opyard::experiments
