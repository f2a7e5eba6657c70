// Gradients of a long computation within little memory.
#pragma once

#include <cstdint>
#include <functional>

#include <torch/torch.h>

namespace opyard::agents {

// f(input, c) for c = 0 … num_chunks − 1, one below the other (along dimension 0). Intermediate
// results are kept for one chunk at a time: the gradient computes each chunk again (Chen et al.,
// "Training deep nets with sublinear memory cost", 2016, section 3), for a third of the time. What
// else f depends on gets its gradient where it is a leaf, as backward() gives it, and none through
// torch::autograd::grad. REQUIRES: f is deterministic, and its result needs a gradient wherever
// that of `input` does.
[[nodiscard]] torch::Tensor Recomputed(
    const torch::Tensor& input,
    std::int64_t num_chunks,
    const std::function<torch::Tensor(const torch::Tensor& input, std::int64_t chunk)>& f);

}  // namespace opyard::agents
