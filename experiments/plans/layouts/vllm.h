// The layer partition of vLLM.
#pragma once

#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// vllm.env: VLLM_PP_LAYER_PARTITION, the number of blocks of each rank, and where the ranks are not
// the first GPUs in turn, CUDA_VISIBLE_DEVICES; vllm-arguments.txt: --pipeline-parallel-size.
[[nodiscard]] Layout WriteVllm(const LayoutInput& input, std::vector<Inexpressible>& reasons);

[[nodiscard]] sim::OpPlacement RoundForVllm(const LayoutInput& input);

}  // namespace opyard::experiments
