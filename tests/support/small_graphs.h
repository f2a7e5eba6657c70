// Terse builders of small graphs, machines and cost tables for tests with hand-computed numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

// `us` microseconds.
[[nodiscard]] constexpr SimTime Microseconds(std::int64_t us) {
  return SimTime{us * 1'000'000};
}

// An op that takes `us` microseconds on every device, reads `inputs` ({op, output}) and makes one
// output for each entry of `output_bytes`.
[[nodiscard]] sim::OpSpec TimedOp(const std::string& name,
                                  std::int64_t us,
                                  std::vector<sim::InputRef> inputs = {},
                                  const std::vector<std::int64_t>& output_bytes = {1000});

// A Variable: no time, `param_bytes` resident, one output of as many bytes that aliases them.
[[nodiscard]] sim::OpSpec VariableOp(const std::string& name, std::int64_t param_bytes);

// The ops as a graph, in order.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> MakeGraph(std::vector<sim::OpSpec> ops);

// GPUs d0, d1, … with 1 MB of memory each, and a link of 1000 bytes per microsecond and
// `latency_us` between each two ("d0-d1", from the smaller to the greater index). Transfers are
// serial over `channels`.
[[nodiscard]] sim::HardwareProfile MeshMachine(std::size_t num_devices,
                                               std::int64_t latency_us = 0,
                                               sim::ChannelKinds channels = {});

// The same devices, each with one such link ("d0-hub", …) to the switch "hub": two hops between any
// two.
[[nodiscard]] sim::HardwareProfile StarMachine(std::size_t num_devices,
                                               std::int64_t latency_us = 0,
                                               sim::ChannelKinds channels = {});

// The same devices on one half-duplex link "bus".
[[nodiscard]] sim::HardwareProfile BusMachine(std::size_t num_devices, std::int64_t latency_us = 0);

// `devices[i]` is the device of op i; FIFO.
[[nodiscard]] sim::Plan PlacedOn(const std::vector<std::int32_t>& devices);

// The same under the priority queue.
[[nodiscard]] sim::Plan PlacedWithPriorities(const std::vector<std::int32_t>& devices,
                                             std::vector<std::int64_t> op_priority);

// Costs from the measured seconds of the ops, and the roofline where there are none.
[[nodiscard]] std::shared_ptr<const sim::CostTable> CostsOf(const sim::OpGraph& graph,
                                                            const sim::HardwareProfile& hardware);

}  // namespace opyard::testing
