// `opyard graph workloads`.
#pragma once

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphWorkloadsOptions {};

// Prints docs/workloads.md: the 14 workloads of GO's Table 2 and the zoo's other models, with their
// sizes beside the published ones, the step on one P100 and what METIS does on four. Takes ten
// seconds or so.
[[nodiscard]] int PrintWorkloads(const GraphWorkloadsOptions& options, const Console& console);

}  // namespace opyard::experiments
