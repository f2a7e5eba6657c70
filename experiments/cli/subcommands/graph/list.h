// `opyard graph list`.
#pragma once

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphListOptions {
  bool json = false;
};

// The graphs that can be named: shipped ones and generated families.
[[nodiscard]] int PrintGraphList(const GraphListOptions& options, const Console& console);

}  // namespace opyard::experiments
