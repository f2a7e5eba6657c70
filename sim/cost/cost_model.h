// The interface of cost models: the run time of one op on one device.
#pragma once

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/device.h"

namespace opyard::sim {

// The terms of an op's run time, in seconds, kept apart because fusion needs them
// (docs/modelling.md, equation 1).
struct OpCost {
  double launch_s = 0.0;
  double flop_s = 0.0;       // F / (P · eff)
  double byte_s = 0.0;       // B / (BW · e_bw)
  double bytes_per_s = 0.0;  // BW · e_bw, also where the time was measured; 0: not known
  double q = 1.0;            // exponent of the soft maximum
  bool is_measured = false;  // the terms are zero, but the launch that a kernel's time lacks
  double total_s = 0.0;      // launch + (flop^q + byte^q)^(1/q), or launch + the measurement
};

// Stateless and thread-safe.
class CostModel {
 public:
  virtual ~CostModel() = default;
  // The cost of `op` on `device`. All results are finite and not negative.
  [[nodiscard]] virtual OpCost Cost(const OpGraph& graph, OpId op, const Device& device) const = 0;
};

}  // namespace opyard::sim
