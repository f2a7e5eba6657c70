#include "agents/learned/common/gradient_step.h"

namespace opyard::agents {

double ClipAndStep(torch::nn::Module& module,
                   torch::optim::Optimizer& optimiser,
                   double max_grad_norm) {
  const double norm = torch::nn::utils::clip_grad_norm_(module.parameters(), max_grad_norm);
  optimiser.step();
  return norm;
}

double GradientStep(const torch::Tensor& loss,
                    torch::nn::Module& module,
                    torch::optim::Optimizer& optimiser,
                    double max_grad_norm) {
  optimiser.zero_grad();
  loss.backward();
  return ClipAndStep(module, optimiser, max_grad_norm);
}

void SetLearningRate(torch::optim::Optimizer& optimiser, double learning_rate) {
  for (torch::optim::OptimizerParamGroup& group : optimiser.param_groups()) {
    group.options().set_lr(learning_rate);
  }
}

}  // namespace opyard::agents
