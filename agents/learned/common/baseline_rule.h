// The baseline of REINFORCE, and which plans train. Needs no LibTorch.
#pragma once

#include <cstdint>

namespace opyard::agents {

enum class BaselineStart : std::uint8_t {
  kFirstRewards,  // the mean reward of the first update with a plan that completes
  kFailure,       // the reward of a failed plan
};

// An exponential moving average of rewards.
struct BaselineRule {
  double momentum = 0.9;
  BaselineStart start = BaselineStart::kFirstRewards;
  // Failed plans, those that do not complete, train in so many updates, and in none after them.
  std::int64_t failure_updates = 1000;
  bool includes_failures = false;  // whether they move the average as long as they train
};

}  // namespace opyard::agents
