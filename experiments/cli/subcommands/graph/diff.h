// `opyard graph diff`.
#pragma once

#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphDiffOptions {
  std::string before;
  std::string after;
  bool json = false;
};

// Prints every op and attribute that differ: "-" for what only the first graph has, "+" for what
// only the second has, "~" for what changed. kAnswerIsNo if the graphs differ.
[[nodiscard]] int DiffGraphs(const GraphDiffOptions& options, const Console& console);

}  // namespace opyard::experiments
