#include "tests/support/small_graphs.h"

#include <utility>

#include "sim/cost/roofline.h"

namespace opyard::testing {
namespace {

constexpr double kBytesPerSecond = 1e9;  // 1000 bytes per microsecond

sim::HardwareProfile Unlinked(std::size_t num_devices, sim::ChannelKinds channels) {
  sim::HardwareProfile machine;
  machine.name = "test";
  for (std::size_t i = 0; i < num_devices; ++i) {
    machine.devices.push_back(sim::Device{.name = "d" + std::to_string(i),
                                          .type = "test-gpu",
                                          .kind = sim::DeviceKind::kGpu,
                                          .memory = Bytes{1'000'000},
                                          .memory_bandwidth_bytes_per_s = 1e12,
                                          .peak_flops_per_s = {{sim::DType::kF32, 1e13}}});
  }
  machine.transfers.channels = channels;
  return machine;
}

sim::Link MakeLink(std::string name, std::vector<sim::NodeIndex> between, std::int64_t latency_us) {
  return sim::Link{.name = std::move(name),
                   .between = std::move(between),
                   .bandwidth_bytes_per_s = kBytesPerSecond,
                   .latency = Microseconds(latency_us)};
}

}  // namespace

sim::OpSpec TimedOp(const std::string& name,
                    std::int64_t us,
                    std::vector<sim::InputRef> inputs,
                    const std::vector<std::int64_t>& output_bytes) {
  sim::OpSpec op{.name = name, .type = "MatMul", .inputs = std::move(inputs)};
  for (const std::int64_t bytes : output_bytes) {
    op.outputs.push_back(sim::OutputSpec{.bytes = Bytes{bytes}});
  }
  op.seconds.push_back({.where = "*", .seconds = static_cast<double>(us) * 1e-6});
  return op;
}

sim::OpSpec VariableOp(const std::string& name, std::int64_t param_bytes) {
  sim::OpSpec op = TimedOp(name, 0, {}, {param_bytes});
  op.type = "Variable";
  op.param_bytes = Bytes{param_bytes};
  op.outputs[0].alias = sim::Alias::kParams;
  return op;
}

std::shared_ptr<const sim::OpGraph> MakeGraph(std::vector<sim::OpSpec> ops) {
  sim::OpGraphBuilder builder("test");
  for (sim::OpSpec& op : ops) {
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

sim::HardwareProfile MeshMachine(std::size_t num_devices,
                                 std::int64_t latency_us,
                                 sim::ChannelKinds channels) {
  sim::HardwareProfile machine = Unlinked(num_devices, channels);
  for (std::size_t a = 0; a < num_devices; ++a) {
    for (std::size_t b = a + 1; b < num_devices; ++b) {
      machine.links.push_back(
          MakeLink(machine.devices[a].name + "-" + machine.devices[b].name,
                   {static_cast<sim::NodeIndex>(a), static_cast<sim::NodeIndex>(b)},
                   latency_us));
    }
  }
  return machine;
}

sim::HardwareProfile StarMachine(std::size_t num_devices,
                                 std::int64_t latency_us,
                                 sim::ChannelKinds channels) {
  sim::HardwareProfile machine = Unlinked(num_devices, channels);
  machine.switches = {"hub"};
  const auto hub = static_cast<sim::NodeIndex>(num_devices);
  for (std::size_t a = 0; a < num_devices; ++a) {
    machine.links.push_back(MakeLink(
        machine.devices[a].name + "-hub", {static_cast<sim::NodeIndex>(a), hub}, latency_us));
  }
  return machine;
}

sim::HardwareProfile BusMachine(std::size_t num_devices, std::int64_t latency_us) {
  sim::HardwareProfile machine = Unlinked(num_devices, {});
  sim::Link bus = MakeLink("bus", {}, latency_us);
  bus.duplex = sim::Duplex::kHalf;
  for (std::size_t i = 0; i < num_devices; ++i) {
    bus.between.push_back(static_cast<sim::NodeIndex>(i));
  }
  machine.links.push_back(bus);
  return machine;
}

sim::Plan PlacedOn(const std::vector<std::int32_t>& devices) {
  sim::Plan plan;
  for (const std::int32_t device : devices) {
    plan.placement.emplace_back(device);
  }
  return plan;
}

sim::Plan PlacedWithPriorities(const std::vector<std::int32_t>& devices,
                               std::vector<std::int64_t> op_priority) {
  sim::Plan plan = PlacedOn(devices);
  plan.queue = sim::QueueDiscipline::kPriority;
  plan.op_priority = std::move(op_priority);
  return plan;
}

std::shared_ptr<const sim::CostTable> CostsOf(const sim::OpGraph& graph,
                                              const sim::HardwareProfile& hardware) {
  return std::make_shared<const sim::CostTable>(graph, hardware, sim::RooflineModel());
}

}  // namespace opyard::testing
