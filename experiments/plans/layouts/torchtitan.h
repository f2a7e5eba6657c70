// The parallelism settings of torchtitan.
#pragma once

#include <vector>

#include "experiments/plans/layouts/layout.h"

namespace opyard::experiments {

// parallelism.toml: pipeline_parallel_degree, module_fqns_per_model_part and, with schedule.csv,
// the keys that name it. Stages and ranks are those of torch-pipelining, dealt in turn.
[[nodiscard]] Layout WriteTorchtitan(const LayoutInput& input, std::vector<Inexpressible>& reasons);

}  // namespace opyard::experiments
