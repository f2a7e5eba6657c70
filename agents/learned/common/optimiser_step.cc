#include "agents/learned/common/optimiser_step.h"

namespace opyard::agents {

double StepAlongGradient(torch::nn::Module& module,
                         torch::optim::Optimizer& optimiser,
                         double max_grad_norm) {
  const double norm = torch::nn::utils::clip_grad_norm_(module.parameters(), max_grad_norm);
  optimiser.step();
  return norm;
}

double StepDown(const torch::Tensor& loss,
                torch::nn::Module& module,
                torch::optim::Optimizer& optimiser,
                double max_grad_norm) {
  optimiser.zero_grad();
  loss.backward();
  return StepAlongGradient(module, optimiser, max_grad_norm);
}

void SetStepSize(torch::optim::Optimizer& optimiser, double step_size) {
  for (torch::optim::OptimizerParamGroup& group : optimiser.param_groups()) {
    group.options().set_lr(step_size);
  }
}

}  // namespace opyard::agents
