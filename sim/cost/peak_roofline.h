// The cost model of a data sheet: the roofline without efficiencies (docs/modelling.md, "The
// roofline of the data sheet").
#pragma once

#include "sim/cost/cost_model.h"

namespace opyard::sim {

// t = launch + max(F / P, B / BW), with P the peak of the op's element type (PeakDTypeOf) and BW
// the memory bandwidth, both as the device file has them. F, B, measured `seconds` and ops that
// cost nothing are as in RooflineModel; the device's `cost` block plays no part.
//
// It is too fast: for plans under the model that many papers score them with, not for step times.
class PeakRooflineModel final : public CostModel {
 public:
  [[nodiscard]] OpCost Cost(const OpGraph& graph, OpId op, const Device& device) const override;
};

}  // namespace opyard::sim
