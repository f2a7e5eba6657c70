// How a network goes one step down the gradient of a loss.
#pragma once

#include <torch/torch.h>

namespace opyard::agents {

// Along the gradient that the parameters of `module` have, cut to the norm `max_grad_norm`. Returns
// its norm before that.
double StepAlongGradient(torch::nn::Module& module,
                         torch::optim::Optimizer& optimiser,
                         double max_grad_norm);

// The same along the gradient of `loss` alone.
double StepDown(const torch::Tensor& loss,
                torch::nn::Module& module,
                torch::optim::Optimizer& optimiser,
                double max_grad_norm);

void SetStepSize(torch::optim::Optimizer& optimiser, double step_size);

}  // namespace opyard::agents
