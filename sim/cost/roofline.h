// The analytic cost model: a soft roofline with shape-dependent efficiencies (docs/modelling.md).
#pragma once

#include "sim/cost/cost_model.h"

namespace opyard::sim {

// t = launch + ((F / (P·eff))^q + (B / (BW·e_bw))^q)^(1/q); measured `seconds` of the op win.
class RooflineModel final : public CostModel {
 public:
  [[nodiscard]] OpCost Cost(const OpGraph& graph, OpId op, const Device& device) const override;
};

}  // namespace opyard::sim
