// The rule by which a policy learns from the plans that it sampled. Needs no LibTorch.
#pragma once

#include <cstdint>

namespace opyard::agents {

enum class Algorithm : std::uint8_t {
  kReinforce,  // one step per batch (reinforce.h)
  kPpo,        // several, while the policy stays near the one that sampled the batch (ppo.h)
};

struct PpoOptions {
  std::int64_t n_epochs = 4;         // over each batch
  std::int64_t num_minibatches = 1;  // of an epoch, one gradient step each
  double clip_range = 0.2;           // how far the ratio of a decision may go from 1
  double target_kl = 0.03;           // of a decision, nats: beyond, the update ends; 0: no limit
};

struct LearningRule {
  Algorithm algorithm = Algorithm::kReinforce;
  PpoOptions ppo;
};

}  // namespace opyard::agents
