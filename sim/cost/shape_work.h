// FLOPs of ops with a shape block, and the efficiency of their shapes on a device.
#pragma once

#include "sim/graph/op.h"
#include "sim/hardware/device.h"

namespace opyard::sim {

// FLOPs and the fraction of the sustained peak they run at.
struct ShapeWork {
  double flops = 0.0;
  double efficiency = 1.0;  // above 0
};

// e_max · M/(M+h_m) · N/(N+h_n) · K/(K+h_k) with M ≥ N after a swap.
[[nodiscard]] double SaturatingEfficiency(const GemmEfficiency& block,
                                          double m,
                                          double n,
                                          double k);

[[nodiscard]] ShapeWork WorkOf(const GemmShape& shape, DType dtype, const CostParameters& cost);
[[nodiscard]] ShapeWork WorkOf(const ConvShape& shape, DType dtype, const CostParameters& cost);

// The gates of a recurrent cell by its op's type: 4 for LSTM, 3 for GRU, else 1.
[[nodiscard]] int NumGates(std::string_view type);

// One time step of the layer `op`: its flops over the steps or, if it gives none, those of the
// shape.
[[nodiscard]] ShapeWork StepWorkOf(const Op& op, const RnnShape& shape, const CostParameters& cost);

}  // namespace opyard::sim
