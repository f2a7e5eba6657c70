#include "tests/sim/engine/golden_parts.h"

#include <utility>

#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

constexpr std::size_t kMostOpsInFull = 20;

}  // namespace

sim::HardwareProfile Star() {
  return StarMachine(3, 1);
}

sim::HardwareProfile Mesh() {
  return MeshMachine(3, 1);
}

sim::Plan MixedPlan() {
  return PlacedOn({1, 0, 0, 1, 2, 0, 2, 0, 1, 2, 0, 2});
}

sim::Plan PrioritisedPlan() {
  return PlacedWithPriorities({1, 0, 0, 1, 2, 0, 2, 0, 1, 2, 0, 2},
                              {0, 1, 2, 5, 3, 1, 4, 1, 7, 2, 9, 0});
}

GoldenCase Mixed(std::string name, sim::HardwareProfile machine, sim::Plan plan) {
  return {.name = std::move(name),
          .graph = MixedGraph(),
          .machine = std::move(machine),
          .plan = std::move(plan)};
}

GoldenCase Layered(std::string name, sim::HardwareProfile machine, std::int64_t num_layers) {
  const auto graph = LayeredGraph(11, num_layers);
  std::vector<std::int32_t> devices;
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    devices.push_back(static_cast<std::int32_t>(i * 5 % machine.num_devices()));
  }
  return {
      .name = std::move(name),
      .graph = graph,
      .machine = std::move(machine),
      .plan = PlacedOn(devices),
      .detail = graph->num_ops() > kMostOpsInFull ? GoldenDetail::kSummary : GoldenDetail::kSpans};
}

sim::HardwareProfile With(sim::HardwareProfile machine, sim::Rules rules) {
  machine.rules = rules;
  return machine;
}

sim::HardwareProfile With(sim::HardwareProfile machine, sim::Sharing sharing) {
  machine.transfers.sharing = sharing;
  return machine;
}

sim::HardwareProfile With(sim::HardwareProfile machine, sim::OnePer one_per) {
  machine.transfers.one_per = one_per;
  return machine;
}

sim::HardwareProfile With(sim::HardwareProfile machine, sim::ChannelKinds channels) {
  machine.transfers.channels = channels;
  return machine;
}

sim::HardwareProfile With(sim::HardwareProfile machine, sim::ExecutionRules execution) {
  machine.execution = execution;
  return machine;
}

sim::HardwareProfile WithGapAfterTransfers(sim::HardwareProfile machine, SimTime gap) {
  machine.transfers.gap_after = gap;
  return machine;
}

sim::HardwareProfile WithMemory(sim::HardwareProfile machine,
                                sim::OnExceed on_exceed,
                                std::int64_t bytes) {
  machine.memory.on_exceed = on_exceed;
  for (sim::Device& device : machine.devices) {
    device.memory = Bytes{bytes};
  }
  return machine;
}

}  // namespace opyard::testing
