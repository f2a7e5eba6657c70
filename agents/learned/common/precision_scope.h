// Matrix products in another precision, for a while.
#pragma once

#include <c10/core/DeviceType.h>

#include "agents/learned/common/precision.h"

namespace opyard::agents {

// While it lives, this thread's linear layers, products of matrices and attention on devices of
// that type round their inputs and outputs to bfloat16, and sum in float32 (LibTorch's autocast).
// Weights, sums of layers, norms, softmax and optimisers stay in float32. With kFloat32 nothing
// changes. A backward pass has the precision of its forward pass.
class PrecisionScope {
 public:
  PrecisionScope(Precision precision, c10::DeviceType device);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  c10::DeviceType device_;
  bool changes_;
  bool was_enabled_ = false;
  bool had_cache_ = false;
};

}  // namespace opyard::agents
