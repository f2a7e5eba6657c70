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
//     heavy ops), larger of M and N against h_m. Symmetric in M and N.
//   `conv`: the FLOPs of the forward pass for each of the passes, as an implicit GEMM per group
//     with the conv block of the pass (else the gemm block). 3×3 filters of stride 1 do
//     F / (1 + gain).
//   `rnn`: timesteps · (step_overhead + max(F, B)), F and the weights' B of one step.
//     F is the op's flops, or, if it gives none, 2 · gates · hidden · batch · 2·hidden a step;
//     gates by its type. `step_overhead` counts as launch.
//   Others: the op's flops at the efficiency of its fusion class.
// A shape block's F goes before the op's `flops`. B is bytes_accessed; e_bw that of the class, else
// of the device. Ops whose bytes fit the l2 tier, other than heavy ones and those with a shape
// block, run at its bandwidth if that is more.
class RooflineModel final : public CostModel {
 public:
  [[nodiscard]] OpCost Cost(const OpGraph& graph, OpId op, const Device& device) const override;
};

// The element type whose peak ops of `dtype` run at on `device`: their own, else the next wider
// type that has a peak (wider_type.h), f32 the last of them. Without any, the type with the
// greatest peak, which may be far from true (docs/modelling.md, "The time of one op").
[[nodiscard]] DType PeakDTypeOf(const Device& device, DType dtype);
// False where it is the last of these.
[[nodiscard]] bool HasPeakFor(const Device& device, DType dtype);

}  // namespace opyard::sim
