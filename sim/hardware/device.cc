#include "sim/hardware/device.h"

#include <algorithm>

#include "sim/base/quote.h"

namespace opyard::sim {
namespace {

void SetClass(CostParameters& cost, FusionClass fusion_class, ClassEfficiency efficiency) {
  cost.classes[static_cast<std::size_t>(fusion_class)] = efficiency;
}

}  // namespace

CostParameters DefaultCostParameters(DeviceKind kind) {
  const bool is_cpu = kind == DeviceKind::kCpu;
  CostParameters cost;
  cost.default_sustained_fraction = is_cpu ? 0.8 : 0.9;
  cost.softmax_q = 3.0;
  cost.memory_efficiency = is_cpu ? 0.6 : 0.8;
  cost.rnn_step_overhead_s = is_cpu ? 1e-6 : 8e-6;
  // Heavy ops keep the arithmetic units busy; the others have few of them per byte, so that their
  // fraction of the peak hardly matters.
  SetClass(cost, FusionClass::kHeavy, {.efficiency = 0.6, .memory_efficiency = {}});
  SetClass(cost, FusionClass::kElementwise, {.efficiency = 0.5, .memory_efficiency = {}});
  SetClass(cost, FusionClass::kBroadcast, {.efficiency = 0.5, .memory_efficiency = {}});
  SetClass(cost, FusionClass::kReduction, {.efficiency = 0.25, .memory_efficiency = {}});
  SetClass(cost, FusionClass::kReshape, {.efficiency = 0.5, .memory_efficiency = {}});
  SetClass(cost, FusionClass::kOpaque, {.efficiency = 0.25, .memory_efficiency = {}});
  return cost;
}

bool IsAllowedOn(const Op& op, const Device& device) {
  return device.runs_ops && op.device_kinds.Contains(device.kind) &&
         !std::ranges::binary_search(device.unsupported, op.type);
}

std::string WhyNotAllowed(const Op& op, const Device& device) {
  if (!device.runs_ops) {
    return Quoted(device.name) + " is left out by the problem's devices";
  }
  if (!op.device_kinds.Contains(device.kind)) {
    return Quoted(device.name) + " is a " + std::string(NameOf(device.kind));
  }
  return Quoted(device.name) + " runs no " + Quoted(op.type) + " (unsupported)";
}

bool HasCopyOverhead(const Device& device) {
  return device.copy_overhead_s > 0.0 || device.copy_bandwidth_bytes_per_s > 0.0;
}

bool CostAlike(const Device& a, const Device& b) {
  return a.kind == b.kind && a.memory_bandwidth_bytes_per_s == b.memory_bandwidth_bytes_per_s &&
         a.peak_flops_per_s == b.peak_flops_per_s && a.launch_overhead_s == b.launch_overhead_s &&
         a.cost == b.cost;
}

}  // namespace opyard::sim
