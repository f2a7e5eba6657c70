// One gradient step of an optimiser, with the gradient cut to a norm.
#pragma once

#include <torch/torch.h>

namespace opyard::agents {

// One step of `optimiser` along the gradient that the parameters of `module` have, cut to the norm
// `max_grad_norm`. Returns the norm before the cut.
double ClipAndStep(torch::nn::Module& module,
                   torch::optim::Optimizer& optimiser,
                   double max_grad_norm);

// Clears the gradient, adds that of `loss`, [], and steps as ClipAndStep does.
double GradientStep(const torch::Tensor& loss,
                    torch::nn::Module& module,
                    torch::optim::Optimizer& optimiser,
                    double max_grad_norm);

void SetLearningRate(torch::optim::Optimizer& optimiser, double learning_rate);

}  // namespace opyard::agents
