// FLOPs of ops with a shape block, and the efficiency of their shapes on a device.
#pragma once

#include <string_view>

#include "sim/graph/op.h"
#include "sim/hardware/device.h"

namespace opyard::sim {

// FLOPs and the fraction of the sustained peak they run at.
struct ShapeWork {
  double flops = 0.0;
  double efficiency = 1.0;  // above 0
};

// FLOPs of a shape, a multiply-add counts 2. Attention computes 2 products of each score and 5
// FLOPs of softmax forward; backward it makes the scores anew and four gradients, and 4 FLOPs of
// softmax.
[[nodiscard]] double FlopsOf(const GemmShape& shape);
[[nodiscard]] double FlopsOf(const ConvShape& shape);
[[nodiscard]] double FlopsOf(const AttentionShape& shape);

// The FLOPs of attention for each score, by the width of queries and keys and that of values.
[[nodiscard]] double FlopsPerScore(AttentionPass pass, double width, double value_width);

// Scores that attention computes: batch · heads · queries · keys, half of it where causal.
[[nodiscard]] double ScoresOf(const AttentionShape& shape);

// e_max · M/(M+h_m) · N/(N+h_n) · K/(K+h_k) with M ≥ N after a swap.
[[nodiscard]] double SaturatingEfficiency(const GemmEfficiency& block,
                                          double m,
                                          double n,
                                          double k);

// The blocks of a device for one op; those of heavy ops where it has none.
[[nodiscard]] GemmParameters GemmBlockOf(const CostParameters& cost, DType dtype);
[[nodiscard]] ConvParameters ConvBlockOf(const CostParameters& cost, DType dtype, ConvPass pass);
[[nodiscard]] AttentionParameters AttentionBlockOf(const CostParameters& cost,
                                                   DType dtype,
                                                   AttentionPass pass);
[[nodiscard]] RnnParameters RnnBlockOf(const CostParameters& cost, DType dtype, RnnPass pass);

[[nodiscard]] ShapeWork WorkOf(const ConvShape& shape, const ConvParameters& block);
[[nodiscard]] ShapeWork WorkOf(const AttentionShape& shape, const AttentionParameters& block);

// The gates of a recurrent cell by its op's type: 4 for LSTM, 3 for GRU, else 1.
[[nodiscard]] int NumGates(std::string_view type);

// One time step of the layer `op`: its flops over the steps or, if it gives none, those of the
// shape.
[[nodiscard]] ShapeWork StepWorkOf(const Op& op, const RnnShape& shape, const RnnParameters& block);

}  // namespace opyard::sim
