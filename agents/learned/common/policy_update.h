// The parameters of an update of a policy, beside its plans. Needs no LibTorch.
#pragma once

#include <cstdint>

namespace opyard::agents {

struct PolicyUpdate {
  double entropy_weight = 0.0;   // of the mean entropy of a decision, in nats
  std::int64_t num_updates = 0;  // behind it, of the policy at hand
};

}  // namespace opyard::agents
