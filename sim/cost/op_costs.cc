#include "sim/cost/op_costs.h"

#include <algorithm>

#include "sim/cost/device_rates.h"
#include "sim/cost/shape_work.h"
#include "sim/cost/soft_maximum.h"
#include "sim/cost/tiled_product.h"
#include "sim/graph/element_bytes.h"

namespace opyard::sim {
namespace {

double BytesOf(double elements, DType dtype) {
  return elements * static_cast<double>(ElementBits(dtype)) / 8.0;
}

double FlopSeconds(const ShapeWork& work, const Device& device, DType dtype) {
  return Finite(work.flops / (SustainedPeak(device, dtype) * work.efficiency));
}

// The terms of a kernel of a shape block that moves `streamed` and `recent` bytes.
OpCost KernelCost(const Device& device,
                  const KernelTerms& kernel,
                  double flop_s,
                  double streamed,
                  double recent) {
  const MemoryRates rates = RatesOf(device, kernel);
  const double byte_s = TrafficSeconds(device, rates, streamed, recent);
  const double bytes = streamed + recent;
  return {.launch_s = device.launch_overhead_s + kernel.overhead_s,
          .flop_s = flop_s,
          .byte_s = byte_s,
          .bytes_per_s = bytes > 0.0 ? bytes / byte_s : rates.memory,
          .q = kernel.softmax_q.value_or(device.cost.softmax_q)};
}

double ProductSeconds(const Op& op,
                      const GemmShape& shape,
                      const GemmParameters& block,
                      const Device& device) {
  if (block.tiling.tiles.empty()) {
    const ShapeWork work = {.flops = FlopsOf(shape),
                            .efficiency = SaturatingEfficiency(
                                block.efficiency, Real(shape.m), Real(shape.n), Real(shape.k))};
    return FlopSeconds(work, device, op.dtype);
  }
  return Finite(
      TiledSeconds(shape,
                   block,
                   {.flops_per_s = SustainedPeak(device, op.dtype) * block.efficiency.e_max,
                    .compute_units = static_cast<double>(device.cost.compute_units),
                    .cache = RatesOf(device, block.kernel).cache}));
}

// Weights come from the memory, as other kernels ran since the last step; what they meet was just
// made and may still be in the l2 tier.
OpCost CostOf(const Op& op, const GemmShape& shape, const Device& device) {
  const GemmParameters block = GemmBlockOf(device.cost, op.dtype);
  const Bytes weights = std::min(op.weight_bytes, op.bytes_accessed);
  OpCost cost = KernelCost(device,
                           block.kernel,
                           ProductSeconds(op, shape, block, device),
                           Real(weights.count),
                           Real((op.bytes_accessed - weights).count));
  if (block.quantize_bytes_per_s > 0.0) {
    const double elements = Real(shape.m) * Real(shape.k) * Real(shape.batch);
    cost.launch_s += BytesOf(elements, op.dtype) / block.quantize_bytes_per_s;
  }
  return cost;
}

OpCost CostOf(const Op& op, const ConvShape& shape, const Device& device) {
  const ConvParameters block = ConvBlockOf(device.cost, op.dtype, shape.pass);
  const double flop_s = FlopSeconds(WorkOf(shape, block), device, op.dtype);
  return KernelCost(device, block.kernel, flop_s, Real(op.bytes_accessed.count), 0.0);
}

// Plain attention writes its scores, reads them for the softmax, writes that and reads it again.
OpCost CostOf(const Op& op, const AttentionShape& shape, const Device& device) {
  const AttentionParameters block = AttentionBlockOf(device.cost, op.dtype, shape.pass);
  const double flop_s = FlopSeconds(WorkOf(shape, block), device, op.dtype);
  const double scores = shape.flash ? 0.0 : 4.0 * BytesOf(ScoresOf(shape), op.dtype);
  return KernelCost(device, block.kernel, flop_s, 0.0, Real(op.bytes_accessed.count) + scores);
}

// A recurrent layer reads its weights anew in each step, and waits for the slower of the two terms.
OpCost CostOf(const Op& op, const RnnShape& shape, const Device& device) {
  const RnnParameters block = RnnBlockOf(device.cost, op.dtype, shape.pass);
  const double steps = Real(shape.timesteps);
  const double hidden = Real(shape.hidden);
  const double weights = op.weight_bytes.count > 0
                             ? Real(op.weight_bytes.count)
                             : BytesOf(NumGates(op.type) * 2.0 * hidden * hidden, op.dtype);
  const double rate =
      block.weight_bandwidth_bytes_per_s.value_or(RatesOf(device, op.fusion_class).memory);
  const double step_s = block.step_overhead_s.value_or(device.cost.rnn_step_overhead_s);
  const ShapeWork step = StepWorkOf(op, shape, block);
  return {.launch_s = device.launch_overhead_s + steps * step_s,
          .flop_s = Finite(steps * FlopSeconds(step, device, op.dtype)),
          .byte_s = Finite(steps * (weights / rate)),
          .bytes_per_s = rate,
          .q = kHardMaximumQ};
}

// An op without a shape block: its FLOPs and bytes at the efficiencies of its class and type.
OpCost ClassCost(const Op& op, const Device& device) {
  const auto found = device.cost.types.find(op.type);
  const TypeParameters type = found == device.cost.types.end() ? TypeParameters{} : found->second;
  const ClassEfficiency& block = device.cost.classes[static_cast<std::size_t>(op.fusion_class)];
  const MemoryRates rates = RatesOf(device, op.fusion_class);
  const double bytes = Real(op.bytes_accessed.count) * type.traffic;
  const bool is_heavy = op.fusion_class == FusionClass::kHeavy;
  const double byte_s =
      TrafficSeconds(device, rates, is_heavy ? bytes : 0.0, is_heavy ? 0.0 : bytes);
  const ShapeWork work = {.flops = op.flops.count, .efficiency = block.efficiency.value_or(1.0)};
  return {.launch_s = device.launch_overhead_s + type.overhead_s,
          .flop_s = FlopSeconds(work, device, op.dtype),
          .byte_s = byte_s,
          .bytes_per_s =
              bytes > 0.0 ? Real(op.bytes_accessed.count) / byte_s : rates.memory / type.traffic,
          .q = device.cost.softmax_q};
}

}  // namespace

OpCost TermsOf(const Op& op, const WorkShape* shape, const Device& device) {
  if (shape == nullptr) {
    return ClassCost(op, device);
  }
  return std::visit([&](const auto& block) { return CostOf(op, block, device); }, *shape);
}

}  // namespace opyard::sim
