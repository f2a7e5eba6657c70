// One accelerator or host processor: what it can do, and the parameters of its cost model.
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

// The same for one pass of a convolution as an implicit matrix product; a 3×3 filter with stride 1
// does its FLOPs divided by (1 + winograd_gain): docs/modelling.md, equation 3.
struct ConvEfficiency {
  GemmEfficiency gemm;
  double winograd_gain = 0.0;
  friend bool operator==(const ConvEfficiency&, const ConvEfficiency&) = default;
};

// The efficiency of ops of one fusion class without a shape block, as fractions of the sustained
// peak and of the memory bandwidth.
struct ClassEfficiency {
  std::optional<double> efficiency;
  std::optional<double> memory_efficiency;
  friend bool operator==(const ClassEfficiency&, const ClassEfficiency&) = default;
};

// A faster memory tier for small footprints.
struct CacheTier {
  Bytes size;
  double bandwidth_bytes_per_s = 0.0;
  friend bool operator==(const CacheTier&, const CacheTier&) = default;
};

// The `cost:` block of a device file. DefaultCostParameters(kind) documents what is not given.
struct CostParameters {
  std::map<DType, double> sustained_fraction;  // of peak_flops
  double default_sustained_fraction = 1.0;
  double softmax_q = 3.0;
  double memory_efficiency = 1.0;
  std::optional<CacheTier> l2;
  std::map<DType, GemmEfficiency> gemm;
  std::map<DType, std::array<ConvEfficiency, 3>> conv;  // by ConvPass
  double rnn_step_overhead_s = 0.0;
  std::array<ClassEfficiency, kNumFusionClasses> classes{};  // by FusionClass
  friend bool operator==(const CostParameters&, const CostParameters&) = default;
};

// Values where a device file gives none; assumed, not measured. For a CPU, then for others:
//   `sustained_fraction`  0.8    0.9   of peak_flops, for all types;
//   `softmax_q`           3      3;
//   `memory_efficiency`   0.6    0.8   no l2 tier;
//   `rnn.step_overhead`   1 us   8 us;
//   Class efficiencies:   heavy 0.6; elementwise, broadcast, reshape 0.5; reduction, opaque 0.25.
// Matrix products and convolutions without a block of their own run at the efficiency of heavy ops.
[[nodiscard]] CostParameters DefaultCostParameters(DeviceKind kind);

struct Device {
  std::string name;  // on its machine: "gpu0"
  std::string type;  // of its device file: "p100-pcie-16gb"
  DeviceKind kind = DeviceKind::kGpu;
  Bytes memory;
  double memory_bandwidth_bytes_per_s = 0.0;
  std::map<DType, double> peak_flops_per_s;
  double launch_overhead_s = 0.0;
  // The time that each copy to or from another device takes from the device's own ops: fixed, and
  // per byte (LogGP's o). None where engines of their own move the bytes.
  double copy_overhead_s = 0.0;
  double copy_bandwidth_bytes_per_s = 0.0;  // 0: the bytes take no time from ops
  // The pool of its machine that it holds its bytes in, in place of `memory`: an index into
  // HardwareProfile::memory_pools. kNoMemoryPool: the device has a memory of its own.
  static constexpr std::int32_t kNoMemoryPool = -1;
  std::int32_t memory_pool = kNoMemoryPool;
  CostParameters cost;
  std::vector<std::string> unsupported;  // op types that it cannot run; sorted, each once
  // False where a problem leaves the device out (env::ProblemSettings::devices): no op is placed
  // there, though copies may still pass. No part of the machine: files never say it.
  bool runs_ops = true;
};

// True if `op` may be placed on `device`: the one rule, for plans, bounds, costs and agents. Its
// label may leave fewer devices (env::Problem::AllowedDevices).
[[nodiscard]] bool IsAllowedOn(const Op& op, const Device& device);

// The reason that keeps `op` from `device`, for a message: "gpu0 is a gpu". REQUIRES:
// !IsAllowedOn(op, device).
[[nodiscard]] std::string WhyNotAllowed(const Op& op, const Device& device);

// True if copies to and from `device` take time from its ops.
[[nodiscard]] bool HasCopyOverhead(const Device& device);

// True if every op without measured times costs the same on both.
[[nodiscard]] bool CostAlike(const Device& a, const Device& b);

}  // namespace opyard::sim
