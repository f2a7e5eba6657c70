// Tensor split and overrides of llama.cpp.
#pragma once

#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// llama-arguments.txt: --n-gpu-layers, --tensor-split, the number of layers of each GPU with the
// output as one more of the last, and --override-tensor for what is elsewhere than llama.cpp has it
// by itself: blocks on the CPU, and an embedding on a GPU, by the names of tensors in GGUF files.
[[nodiscard]] Layout WriteLlamaCpp(const LayoutInput& input, std::vector<Inexpressible>& reasons);

[[nodiscard]] sim::OpPlacement RoundForLlamaCpp(const LayoutInput& input);

}  // namespace opyard::experiments
