#include "tests/support/golden_graphs.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

constexpr std::int64_t kLayerWidth = 3;
constexpr std::int64_t kFusibleOps = 14;
constexpr double kFlopsPerUs = 1e6;  // of WithLaunches

sim::OpSpec ViewOp(const std::string& name, sim::InputRef input, std::int64_t bytes) {
  sim::OpSpec op = TimedOp(name, 0, {input}, {bytes});
  op.type = "Reshape";
  op.outputs[0].alias = sim::Alias::kInput;
  op.outputs[0].alias_input = 0;
  return op;
}

sim::DeviceKindSet OnlyOn(sim::DeviceKind kind) {
  sim::DeviceKindSet kinds = sim::DeviceKindSet::None();
  kinds.Insert(kind);
  return kinds;
}

// Up to three outputs of the layer that begins at `first`.
std::vector<sim::InputRef> SampleInputs(std::int64_t first, Rng& rng) {
  std::vector<sim::InputRef> inputs;
  for (std::int64_t i = rng.Between(1, kLayerWidth); i > 0; --i) {
    inputs.push_back({.op = first + rng.Between(0, kLayerWidth - 1), .output = 0});
  }
  return inputs;
}

// Takes `flop_us` for its FLOPs and `memory_us` for its bytes.
sim::OpSpec WorkOp(const std::string& name,
                   const std::string& type,
                   std::int64_t flop_us,
                   std::int64_t memory_us,
                   std::vector<sim::InputRef> inputs) {
  sim::OpSpec op{.name = name, .type = type, .inputs = std::move(inputs)};
  op.flops = Flops{static_cast<double>(flop_us) * kFlopsPerUs};
  op.bytes_accessed = Bytes{memory_us * 1000};
  op.outputs.push_back({.bytes = Bytes{1000}});
  return op;
}

std::vector<sim::OpSpec> FusibleOps() {
  std::vector<sim::OpSpec> ops = {WorkOp("in", "Relu", 2, 2, {}),
                                  WorkOp("mm1", "MatMul", 9, 3, {{0, 0}}),
                                  WorkOp("bias1", "Add", 1, 2, {{1, 0}}),
                                  WorkOp("act1", "Relu", 1, 2, {{2, 0}}),
                                  WorkOp("sum1", "Sum", 2, 1, {{3, 0}}),
                                  WorkOp("wide1", "Broadcast", 0, 2, {{4, 0}}),
                                  TimedOp("mm2", 6, {{0, 0}}, {2000}),
                                  TimedOp("act2", 3, {{6, 0}}, {2000}),
                                  ViewOp("view2", {7, 0}, 2000),
                                  WorkOp("sum2", "Max", 1, 3, {{8, 0}}),
                                  WorkOp("mix", "Mul", 2, 3, {{5, 0}, {9, 0}, {3, 0}}),
                                  WorkOp("call", "CustomCall", 3, 1, {{10, 0}}),
                                  WorkOp("out1", "Tanh", 4, 2, {{11, 0}, {10, 0}}),
                                  WorkOp("out2", "Sum", 1, 4, {{12, 0}})};
  ops[7].type = "Relu";
  ops[12].outputs[0].keep = true;
  return ops;
}

}  // namespace

std::shared_ptr<const sim::OpGraph> MixedGraph() {
  std::vector<sim::OpSpec> ops = {VariableOp("w", 4000),
                                  TimedOp("x", 2, {}, {3000, 0}),
                                  TimedOp("a", 3, {{1, 0}, {0, 0}}, {2000}),
                                  TimedOp("b", 5, {{1, 0}}, {6000}),
                                  TimedOp("c", 0, {{1, 1}}, {1000}),
                                  TimedOp("d", 1, {{2, 0}, {3, 0}}, {}),
                                  TimedOp("e", 4, {{3, 0}, {1, 0}, {3, 0}}, {1000}),
                                  ViewOp("v", {2, 0}, 2000),
                                  TimedOp("f", 2, {{7, 0}, {4, 0}}, {500, 2500}),
                                  TimedOp("g", 2, {{8, 0}, {8, 1}, {6, 0}}, {1000}),
                                  TimedOp("h", 3, {{8, 1}, {0, 0}}, {4000}),
                                  TimedOp("i", 1, {{10, 0}}, {})};
  ops[1].param_bytes = Bytes{2000};
  ops[3].workspace_bytes = Bytes{1500};
  ops[5].control_inputs = {4};
  ops[6].outputs[0].keep = true;
  ops[9].control_inputs = {5};
  ops[11].control_inputs = {9};
  return MakeGraph(std::move(ops));
}

std::shared_ptr<const sim::OpGraph> LayeredGraph(std::uint64_t seed, std::int64_t num_layers) {
  Rng rng(seed);
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < num_layers * kLayerWidth; ++i) {
    const std::int64_t layer = i / kLayerWidth;
    std::vector<sim::InputRef> inputs;
    if (layer > 0) {
      inputs = SampleInputs((layer - 1) * kLayerWidth, rng);
    }
    sim::OpSpec op =
        TimedOp("op" + std::to_string(i), 0, std::move(inputs), {rng.Between(1, 9999)});
    op.seconds[0].seconds = SimTime{rng.Between(1, 9'999'999)}.seconds();
    op.param_bytes = Bytes{rng.Between(0, 999)};
    ops.push_back(std::move(op));
  }
  return MakeGraph(std::move(ops));
}

std::shared_ptr<const sim::OpGraph> FusibleGraph(std::int64_t num_copies) {
  sim::OpGraphBuilder builder("fusible");
  builder.SetMeasured(sim::Measured::kKernel);
  for (std::int64_t copy = 0; copy < num_copies; ++copy) {
    for (sim::OpSpec& op : FusibleOps()) {
      op.name += copy == 0 ? "" : "_" + std::to_string(copy);
      for (sim::InputRef& input : op.inputs) {
        input.op += copy * kFusibleOps;
      }
      builder.AddOp(std::move(op));
    }
  }
  return builder.Build();
}

std::shared_ptr<const sim::OpGraph> ConstrainedGraph() {
  const std::vector<std::vector<sim::InputRef>> inputs = {
      {}, {}, {{0, 0}}, {{0, 0}, {1, 0}}, {{2, 0}}, {{3, 0}, {2, 0}}, {{5, 0}}, {{4, 0}, {6, 0}}};
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < std::ssize(inputs); ++i) {
    ops.push_back(TimedOp(std::string(1, static_cast<char>('a' + i)),
                          2 + i % 3,
                          inputs[static_cast<std::size_t>(i)],
                          {1000 + 300 * i}));
    ops.back().seconds.push_back({.where = "d1", .seconds = Microseconds(7 - i % 4).seconds()});
    ops.back().seconds.push_back({.where = "cpu", .seconds = Microseconds(9 + i).seconds()});
  }
  ops[2].device_kinds = OnlyOn(sim::DeviceKind::kGpu);
  ops[5].device_kinds = OnlyOn(sim::DeviceKind::kGpu);
  ops[3].device_kinds = OnlyOn(sim::DeviceKind::kCpu);
  ops[0].colocation = "first";
  ops[4].colocation = "first";
  ops[6].colocation = "last";
  ops[7].colocation = "last";
  return MakeGraph(std::move(ops));
}

std::shared_ptr<const sim::OpGraph> LongGraph() {
  constexpr std::int64_t kDay = 86'400'000'000;  // in us
  return MakeGraph({TimedOp("a", 2 * kDay, {}, {3000}),
                    TimedOp("b", 3 * kDay, {{0, 0}}),
                    TimedOp("c", 5 * kDay, {{0, 0}}),
                    TimedOp("d", 7 * kDay, {{1, 0}, {2, 0}})});
}

sim::HardwareProfile TwoSwitchMachine(sim::Duplex trunk) {
  sim::HardwareProfile machine = StarMachine(4, 1);
  machine.switches = {"left", "right"};
  machine.links[2].between[1] = 5;
  machine.links[3].between[1] = 5;
  machine.links.push_back(sim::Link{.name = "trunk",
                                    .between = {4, 5},
                                    .bandwidth_bytes_per_s = 5e8,
                                    .latency = Microseconds(2),
                                    .duplex = trunk});
  return machine;
}

sim::HardwareProfile HalfDuplexMesh(std::size_t num_devices, std::int64_t latency_us) {
  sim::HardwareProfile machine = MeshMachine(num_devices, latency_us);
  for (sim::Link& link : machine.links) {
    link.duplex = sim::Duplex::kHalf;
  }
  return machine;
}

sim::HardwareProfile WithLaunches(sim::HardwareProfile machine) {
  for (sim::Device& device : machine.devices) {
    device.launch_overhead_s = 1e-6;
    device.memory_bandwidth_bytes_per_s = 1e9;
    device.peak_flops_per_s = {{sim::DType::kF32, 1e12}};
  }
  return machine;
}

}  // namespace opyard::testing
