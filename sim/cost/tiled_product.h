// Matrix products that compute units make tile by tile, in waves.
#pragma once

#include "sim/graph/op.h"
#include "sim/hardware/cost_parameters.h"

namespace opyard::sim {

// The rates of the device that a product runs on.
struct TileRates {
  double flops_per_s = 0.0;    // of all compute units, sustained, times e_max
  double compute_units = 1.0;  // that make one tile each at a time
  double cache = 0.0;          // bytes per second of partial sums
};

// Seconds of the arithmetic of `shape` (docs/modelling.md, equation 2a), the least over the tiles
// and the divisions of K that `block` allows: waves · 2 · rows · columns · (K/s + h_k) at a unit's
// rate, where waves = ⌈⌈M/rows⌉ · ⌈N/columns⌉ · batch · s / units⌉. Divided products write s
// partial sums of 4 bytes. Monotone and, with M ≥ N after a swap, symmetric in M and N. REQUIRES:
// block has tiles.
[[nodiscard]] double TiledSeconds(const GemmShape& shape,
                                  const GemmParameters& block,
                                  const TileRates& rates);

}  // namespace opyard::sim
