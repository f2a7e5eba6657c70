#include "agents/learned/common/weights.h"

#include <memory>

#include "env/observation.h"

namespace opyard::agents {
namespace {

// The state of Adam for one parameter, made if it has made no step yet.
torch::optim::AdamParamState& StateOf(torch::optim::Adam& optimiser,
                                      const torch::Tensor& parameter) {
  auto& state = optimiser.state()[parameter.unsafeGetTensorImpl()];
  if (state == nullptr) {
    auto fresh = std::make_unique<torch::optim::AdamParamState>();
    fresh->step(0);
    fresh->exp_avg(torch::zeros_like(parameter));
    fresh->exp_avg_sq(torch::zeros_like(parameter));
    state = std::move(fresh);
  }
  return static_cast<torch::optim::AdamParamState&>(*state);
}

}  // namespace

void AddWeights(const torch::nn::Module& module,
                Checkpoint& checkpoint,
                const std::string& prefix) {
  for (const auto& item : module.named_parameters()) {
    checkpoint.tensors[prefix + item.key()] = item.value().detach().to(torch::kCPU);
  }
}

Checkpoint WeightsOf(const std::string& agent,
                     const std::map<std::string, std::string>& config,
                     const torch::nn::Module& module) {
  Checkpoint checkpoint{.agent = agent,
                        .feature_version = env::kFeatureVersion,
                        .config = config,
                        .record = {},
                        .tensors = {}};
  AddWeights(module, checkpoint);
  return checkpoint;
}

void TakeWeights(const Checkpoint& checkpoint,
                 torch::nn::Module& module,
                 const std::string& prefix) {
  const torch::NoGradGuard no_grad;
  for (auto& item : module.named_parameters()) {
    item.value().copy_(checkpoint.tensors.at(prefix + item.key()));
  }
}

void AddOptimiser(const torch::nn::Module& module,
                  torch::optim::Adam& optimiser,
                  Checkpoint& checkpoint) {
  for (const auto& item : module.named_parameters()) {
    const torch::optim::AdamParamState& adam = StateOf(optimiser, item.value());
    checkpoint.tensors["adam.mean." + item.key()] = adam.exp_avg().to(torch::kCPU);
    checkpoint.tensors["adam.square." + item.key()] = adam.exp_avg_sq().to(torch::kCPU);
    checkpoint.tensors["adam.step." + item.key()] = torch::tensor({adam.step()}, torch::kLong);
  }
}

void TakeOptimiser(const Checkpoint& checkpoint,
                   const torch::nn::Module& module,
                   torch::optim::Adam& optimiser) {
  const torch::NoGradGuard no_grad;
  for (const auto& item : module.named_parameters()) {
    torch::optim::AdamParamState& adam = StateOf(optimiser, item.value());
    adam.exp_avg().copy_(checkpoint.tensors.at("adam.mean." + item.key()));
    adam.exp_avg_sq().copy_(checkpoint.tensors.at("adam.square." + item.key()));
    adam.step(checkpoint.tensors.at("adam.step." + item.key()).item<std::int64_t>());
  }
}

}  // namespace opyard::agents
