// One accelerator or host processor: what it can do, and the parameters of its cost model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/graph/op.h"
#include "sim/hardware/cost_parameters.h"

namespace opyard::sim {

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
