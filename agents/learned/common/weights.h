// A network and its optimiser as the tensors of a checkpoint, and back.
#pragma once

#include <map>
#include <string>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"

namespace opyard::agents {

// Checkpoints hold their tensors on the CPU, wherever the network computes.

// Adds the parameters of `module`, named `prefix` + NAME.
void AddWeights(const torch::nn::Module& module,
                Checkpoint& checkpoint,
                const std::string& prefix = "weight.");
// The parameters of `module`, as "weight.NAME": what `agent` saves of a network that `config`
// describes.
[[nodiscard]] Checkpoint WeightsOf(const std::string& agent,
                                   const std::map<std::string, std::string>& config,
                                   const torch::nn::Module& module);
// Sets the parameters of `module`. REQUIRES: the checkpoint has them (RequireMatch).
void TakeWeights(const Checkpoint& checkpoint,
                 torch::nn::Module& module,
                 const std::string& prefix = "weight.");

// Adds what Adam remembers of each parameter of `module`, as "adam.mean.NAME", "adam.square.NAME"
// and "adam.step.NAME".
void AddOptimiser(const torch::nn::Module& module,
                  torch::optim::Adam& optimiser,
                  Checkpoint& checkpoint);
// Sets it. REQUIRES: the checkpoint has it.
void TakeOptimiser(const Checkpoint& checkpoint,
                   const torch::nn::Module& module,
                   torch::optim::Adam& optimiser);

}  // namespace opyard::agents
