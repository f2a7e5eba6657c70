#include "sim/cost/roofline.h"

#include <algorithm>
#include <limits>
#include <map>

#include "sim/base/check.h"
#include "sim/cost/measured.h"
#include "sim/cost/shape_work.h"
#include "sim/cost/soft_maximum.h"
#include "sim/cost/wider_type.h"
#include "sim/cost/zero_cost.h"
#include "sim/graph/element_bytes.h"

namespace opyard::sim {
namespace {

// Keeps absurd inputs finite; such times are refused later, when they do not fit SimTime.
double Finite(double seconds) {
  return std::min(seconds, std::numeric_limits<double>::max());
}

// The element type whose peak ops of `dtype` run at, and that peak.
struct Peak {
  DType dtype = DType::kF32;
  double flops_per_s = 0.0;
};

// The type of those that may stand in for `dtype` that has a peak, or f32.
DType StandInFor(const Device& device, DType dtype) {
  while (!device.peak_flops_per_s.contains(dtype) && dtype != DType::kF32) {
    dtype = WiderType(dtype);
  }
  return dtype;
}

// By the order of PeakDTypeOf.
Peak FindPeak(const Device& device, DType dtype) {
  const std::map<DType, double>& peaks = device.peak_flops_per_s;
  if (const auto found = peaks.find(StandInFor(device, dtype)); found != peaks.end()) {
    return {.dtype = found->first, .flops_per_s = found->second};
  }
  Peak best;
  for (const auto& [other, rate] : peaks) {
    if (rate > best.flops_per_s) {
      best = {.dtype = other, .flops_per_s = rate};
    }
  }
  OPYARD_CHECK(best.flops_per_s > 0.0, "device " + device.name + " has no peak_flops");
  return best;
}

double SustainedPeak(const Device& device, DType dtype) {
  const Peak peak = FindPeak(device, dtype);
  const auto fraction = device.cost.sustained_fraction.find(peak.dtype);
  return peak.flops_per_s * (fraction == device.cost.sustained_fraction.end()
                                 ? device.cost.default_sustained_fraction
                                 : fraction->second);
}

double FlopSeconds(const ShapeWork& work, const Device& device, DType dtype) {
  return Finite(work.flops / (SustainedPeak(device, dtype) * work.efficiency));
}

const ClassEfficiency& ClassOf(const Op& op, const Device& device) {
  return device.cost.classes[static_cast<std::size_t>(op.fusion_class)];
}

double MemoryRate(const Op& op, const Device& device) {
  return device.memory_bandwidth_bytes_per_s *
         ClassOf(op, device).memory_efficiency.value_or(device.cost.memory_efficiency);
}

// The same, for an op that moves all its bytes once.
double TrafficRate(const Op& op, const WorkShape* shape, const Device& device) {
  const bool is_heavy = shape != nullptr || op.fusion_class == FusionClass::kHeavy;
  const double rate = MemoryRate(op, device);
  if (device.cost.l2 && !is_heavy && op.bytes_accessed <= device.cost.l2->size) {
    return std::max(rate, device.cost.l2->bandwidth_bytes_per_s);
  }
  return rate;
}

ShapeWork ClassWork(const Op& op, const Device& device) {
  return {.flops = op.flops.count, .efficiency = ClassOf(op, device).efficiency.value_or(1.0)};
}

// A recurrent layer reads its weights anew in each step, and waits for the slower of the two terms.
OpCost RnnCost(const Op& op, const RnnShape& shape, const Device& device) {
  const auto steps = static_cast<double>(shape.timesteps);
  const auto hidden = static_cast<double>(shape.hidden);
  const double derived_bytes =
      NumGates(op.type) * 2.0 * hidden * hidden * static_cast<double>(ElementBits(op.dtype)) / 8.0;
  const double weight_bytes =
      op.weight_bytes.count > 0 ? static_cast<double>(op.weight_bytes.count) : derived_bytes;
  const ShapeWork step = StepWorkOf(op, shape, device.cost);
  return {.launch_s = device.launch_overhead_s + steps * device.cost.rnn_step_overhead_s,
          .flop_s = Finite(steps * FlopSeconds(step, device, op.dtype)),
          .byte_s = Finite(steps * (weight_bytes / MemoryRate(op, device))),
          .bytes_per_s = MemoryRate(op, device),
          .q = kHardMaximumQ};
}

OpCost TermsOf(const Op& op, const WorkShape* shape, const Device& device) {
  if (shape != nullptr && std::holds_alternative<RnnShape>(*shape)) {
    return RnnCost(op, std::get<RnnShape>(*shape), device);
  }
  ShapeWork work = ClassWork(op, device);
  if (shape != nullptr) {
    const auto* gemm = std::get_if<GemmShape>(shape);
    work = gemm != nullptr ? WorkOf(*gemm, op.dtype, device.cost)
                           : WorkOf(std::get<ConvShape>(*shape), op.dtype, device.cost);
  }
  const double rate = TrafficRate(op, shape, device);
  return {.launch_s = device.launch_overhead_s,
          .flop_s = FlopSeconds(work, device, op.dtype),
          .byte_s = Finite(static_cast<double>(op.bytes_accessed.count) / rate),
          .bytes_per_s = rate,
          .q = device.cost.softmax_q};
}

}  // namespace

DType PeakDTypeOf(const Device& device, DType dtype) {
  return FindPeak(device, dtype).dtype;
}

bool HasPeakFor(const Device& device, DType dtype) {
  return device.peak_flops_per_s.contains(StandInFor(device, dtype));
}

OpCost RooflineModel::Cost(const OpGraph& graph, OpId op, const Device& device) const {
  const std::optional<double> seconds = FindMeasuredSeconds(graph, op, device);
  if (IsZeroCost(graph, op) && seconds.value_or(0.0) == 0.0) {
    return {};
  }
  if (seconds.has_value()) {
    const double launch_s = graph.measured() == Measured::kKernel ? device.launch_overhead_s : 0.0;
    return {.launch_s = launch_s,
            .bytes_per_s = TrafficRate(graph.op(op), graph.work_shape(op), device),
            .is_measured = true,
            .total_s = launch_s + *seconds};
  }
  OpCost cost = TermsOf(graph.op(op), graph.work_shape(op), device);
  cost.total_s = Finite(cost.launch_s + SoftMaximum(cost.flop_s, cost.byte_s, cost.q));
  return cost;
}

}  // namespace opyard::sim
