// `opyard graph show`.
#pragma once

#include <optional>
#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphShowOptions {
  std::string graph;
  bool dot = false;                     // the only picture there is
  std::optional<std::string> plan;      // colours ops by device; needs `hardware`
  std::optional<std::string> hardware;  // the machine that `plan` is for
};

// Prints DOT text. Throws InputError if `dot` is not set.
[[nodiscard]] int ShowGraph(const GraphShowOptions& options, const Console& console);

}  // namespace opyard::experiments
