// The memory traffic of kernels.
#pragma once

#include "sim/cost/cost_model.h"
#include "sim/graph/op.h"

namespace opyard::sim {

// The part of a kernel's time that moves no bytes, and the bytes that the rest moves.
struct KernelTraffic {
  double launch_s = 0.0;
  double bytes = 0.0;
};

// The bytes that `op` moves at `cost`: those of its byte term; where the time is measured, all of
// its `bytes_accessed`.
[[nodiscard]] inline double BytesMoved(const Op& op, const OpCost& cost) {
  return cost.is_measured ? static_cast<double>(op.bytes_accessed.count)
                          : cost.byte_s * cost.bytes_per_s;
}

}  // namespace opyard::sim
