// The analytic cost model: a soft roofline with shape-dependent efficiencies (docs/modelling.md,
// "The time of one op").
#pragma once

#include "sim/cost/cost_model.h"

namespace opyard::sim {

// t = launch + ((F / (P·eff))^q + (B / (BW·e_bw))^q)^(1/q); measured `seconds` of the op win, with
// the device's launch where the graph measured kernels, and ops that only name data cost nothing
// (zero_cost.h), also where that was measured.
//
// P is peak_flops · sustained_fraction of the op's element type (PeakDTypeOf). F, eff, B and e_bw:
//   `gemm`: F = 2·M·N·K·batch, eff of the device's gemm block for the type (else for f32, else of
//     heavy ops), larger of M and N against h_m, or waves of tiles (tiled_product.h). Symmetric in
//     M and N. `weight_bytes` come from the memory, the other bytes from the l2 tier as far as it
//     holds them.
//   `conv`: the FLOPs of the forward pass for each of the passes, as an implicit GEMM per group
//     with the conv block of the pass (else the gemm block). 3×3 filters of stride 1 do
//     F / (1 + gain), strides above 1 F · (1 + loss).
//   `attention`: both products and the softmax; backward with the scores made anew. Scores stay on
//     chip (`flash`) or go through the memory.
//   `rnn`: timesteps · (step_overhead + max(F, B)), F and the weights' B of one step.
//     F is the op's flops, or, if it gives none, 2 · gates · hidden · batch · 2·hidden a step;
//     gates by its type. `step_overhead` counts as launch.
//   Others: the op's flops at the efficiency of its fusion class; bytes · traffic of its type.
// A shape block's F goes before the op's `flops`. B is bytes_accessed; e_bw that of the block or
// the class, else of the device. Ops without a shape block, other than heavy ones, move what the l2
// tier holds at its bandwidth if that is more.
class RooflineModel final : public CostModel {
 public:
  [[nodiscard]] OpCost Cost(const OpGraph& graph, OpId op, const Device& device) const override;
};

}  // namespace opyard::sim
