// A device with round numbers and graphs of one op, for costs that are computed by hand.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sim/cost/roofline.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/device.h"

namespace opyard::testing {

// 1 TFLOP/s, 100 GB/s, all efficiencies 1, a launch of 2 us, the hard maximum.
[[nodiscard]] inline sim::Device RoundDevice() {
  sim::Device device{.name = "gpu0", .type = "round", .kind = sim::DeviceKind::kGpu};
  device.memory_bandwidth_bytes_per_s = 100e9;
  device.peak_flops_per_s = {{sim::DType::kF32, 1e12}};
  device.launch_overhead_s = 2e-6;
  device.cost.softmax_q = 1e9;
  return device;
}

// An op of `type` with its own bytes and FLOPs and one output.
[[nodiscard]] inline sim::OpSpec SpecOf(const std::string& type, double flops, std::int64_t bytes) {
  sim::OpSpec spec{.name = "op", .type = type};
  spec.outputs = {{.bytes = Bytes{4}}};
  spec.flops = Flops{flops};
  spec.bytes_accessed = Bytes{bytes};
  return spec;
}

[[nodiscard]] inline sim::OpSpec SpecOf(sim::WorkShape shape, std::int64_t bytes = 0) {
  sim::OpSpec spec = SpecOf("MatMul", 0, bytes);
  spec.work = shape;
  return spec;
}

// A graph of this op alone.
[[nodiscard]] inline std::shared_ptr<const sim::OpGraph> GraphOf(sim::OpSpec spec) {
  sim::OpGraphBuilder builder("one");
  builder.AddOp(std::move(spec));
  return builder.Build();
}

[[nodiscard]] inline sim::OpCost CostOf(sim::OpSpec spec, const sim::Device& device) {
  return sim::RooflineModel().Cost(*GraphOf(std::move(spec)), OpId(0), device);
}

}  // namespace opyard::testing
