// The parameters of a device's cost model: the `cost:` block of a device file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/graph/op.h"

namespace opyard::sim {

// Saturating efficiency of a matrix product (docs/modelling.md, equation 2):
// e_max · M/(M+h_m) · N/(N+h_n) · K/(K+h_k).
struct GemmEfficiency {
  double e_max = 1.0;
  double h_m = 0.0;
  double h_n = 0.0;
  double h_k = 0.0;
  friend bool operator==(const GemmEfficiency&, const GemmEfficiency&) = default;
};

// The terms in which the kernels of one block differ from the device's.
struct KernelTerms {
  double overhead_s = 0.0;  // beside the device's launch_overhead
  std::optional<double> softmax_q;
  std::optional<double> memory_efficiency;
  std::optional<double> l2_bandwidth_bytes_per_s;  // plays no part on a device without l2
  friend bool operator==(const KernelTerms&, const KernelTerms&) = default;
};

// The part of a product's result that one compute unit makes at a time.
struct Tile {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  friend bool operator==(const Tile&, const Tile&) = default;
};

// Matrix products in waves of tiles (docs/modelling.md, equation 2a). The fastest tile counts.
struct Tiling {
  std::vector<Tile> tiles;  // none: equation 2
  double h_tile = 0.0;      // of the side √(rows · columns)
  // Given: K may be divided in 2, 4, 8 or 16 parts, whose sums take this long to add.
  std::optional<double> split_overhead_s;
  friend bool operator==(const Tiling&, const Tiling&) = default;
};

struct GemmParameters {
  GemmEfficiency efficiency;
  Tiling tiling;
  KernelTerms kernel;
  // The rate at which the left operand is quantised before the product; 0: it is not.
  double quantize_bytes_per_s = 0.0;
  friend bool operator==(const GemmParameters&, const GemmParameters&) = default;
};

// One pass of a convolution as an implicit matrix product (docs/modelling.md, equation 3).
struct ConvParameters {
  GemmEfficiency gemm;
  double winograd_gain = 0.0;  // 3×3 filters of stride 1 do F / (1 + gain)
  double stride_loss = 0.0;    // strides above 1 do F · (1 + loss)
  KernelTerms kernel;
  friend bool operator==(const ConvParameters&, const ConvParameters&) = default;
};

// One pass of a recurrent layer (docs/modelling.md, equation 4).
struct RnnParameters {
  GemmEfficiency efficiency;                           // of [gates · hidden, batch]
  std::optional<double> step_overhead_s;               // instead of the device's
  std::optional<double> weight_bandwidth_bytes_per_s;  // instead of that of the memory
  friend bool operator==(const RnnParameters&, const RnnParameters&) = default;
};

// One pass of attention (docs/modelling.md, equation 4a).
struct AttentionParameters {
  GemmEfficiency efficiency;  // h_m of the queries, h_n of the keys, h_k of the head's width
  KernelTerms kernel;
  friend bool operator==(const AttentionParameters&, const AttentionParameters&) = default;
};

// The efficiency of ops of one fusion class without a shape block, as fractions of the sustained
// peak and of the memory bandwidth.
struct ClassEfficiency {
  std::optional<double> efficiency;
  std::optional<double> memory_efficiency;
  friend bool operator==(const ClassEfficiency&, const ClassEfficiency&) = default;
};

// Ops of one type without a shape block, beside their class.
struct TypeParameters {
  double traffic = 1.0;     // bytes that move for each byte of `bytes_accessed`
  double overhead_s = 0.0;  // beside the device's launch_overhead
  friend bool operator==(const TypeParameters&, const TypeParameters&) = default;
};

// A faster memory tier for small footprints.
struct CacheTier {
  Bytes size;
  double bandwidth_bytes_per_s = 0.0;
  friend bool operator==(const CacheTier&, const CacheTier&) = default;
};

// DefaultCostParameters(kind) documents what is not given.
struct CostParameters {
  std::map<DType, double> sustained_fraction;  // of peak_flops
  double default_sustained_fraction = 1.0;
  double softmax_q = 3.0;
  double memory_efficiency = 1.0;
  std::int64_t compute_units = 1;  // that run tiles side by side
  std::optional<CacheTier> l2;
  std::map<DType, GemmParameters> gemm;
  std::map<DType, std::array<ConvParameters, kNumConvPasses>> conv;  // by ConvPass
  double rnn_step_overhead_s = 0.0;
  std::map<DType, std::array<RnnParameters, kNumRnnPasses>> rnn;  // by RnnPass
  std::map<DType, std::array<AttentionParameters, kNumAttentionPasses>> attention;
  std::array<ClassEfficiency, kNumFusionClasses> classes{};  // by FusionClass
  std::map<std::string, TypeParameters, std::less<>> types;  // by op type
  friend bool operator==(const CostParameters&, const CostParameters&) = default;
};

// Values where a device file gives none; assumed, not measured. For a CPU, then for others:
//   `sustained_fraction`  0.8    0.9   of peak_flops, for all types;
//   `softmax_q`           3      3;
//   `memory_efficiency`   0.6    0.8   no l2 tier;
//   `rnn.step_overhead`   1 us   8 us;
//   Class efficiencies:   heavy 0.6; elementwise, broadcast, reshape 0.5; reduction, opaque 0.25.
// Matrix products, convolutions and attention without a block of their own run at the efficiency of
// heavy ops, recurrent layers at that of matrix products.
[[nodiscard]] CostParameters DefaultCostParameters(DeviceKind kind);

}  // namespace opyard::sim
