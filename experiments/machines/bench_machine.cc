#include "experiments/machines/bench_machine.h"

namespace opyard::experiments {

std::shared_ptr<const sim::HardwareProfile> StarMachine(std::size_t num_devices,
                                                        const sim::ChannelKinds& channels) {
  sim::HardwareProfile machine;
  machine.name = "star";
  machine.switches = {"switch"};
  const auto hub = static_cast<sim::NodeIndex>(num_devices);
  for (std::size_t i = 0; i < num_devices; ++i) {
    sim::Device device;
    device.name = "gpu" + std::to_string(i);
    device.type = "bench";
    device.memory = Bytes{std::int64_t{1} << 50};
    device.memory_bandwidth_bytes_per_s = 700e9;
    device.peak_flops_per_s = {{sim::DType::kF32, 10e12}};
    device.launch_overhead_s = 5e-6;
    device.cost = sim::DefaultCostParameters(sim::DeviceKind::kGpu);
    machine.devices.push_back(std::move(device));
    machine.links.push_back({.name = "link" + std::to_string(i),
                             .between = {static_cast<sim::NodeIndex>(i), hub},
                             .bandwidth_bytes_per_s = 16e9,
                             .latency = SimTime::FromSeconds(1e-5)});
  }
  machine.transfers.channels = channels;
  return std::make_shared<const sim::HardwareProfile>(std::move(machine));
}

}  // namespace opyard::experiments
