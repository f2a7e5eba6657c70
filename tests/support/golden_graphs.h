// Graphs and machines of the goldens (tests/golden/): each small, and together every sort of op,
// tensor and link. A change here changes goldens, so that new cases bring graphs of their own.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::testing {

// 12 ops: parameters, tensors with several readers, one read twice, zero bytes, two outputs, a view
// of an input, workspace, control edges, a kept output, ops without outputs and ops without time.
// Round numbers, so that ties abound.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> MixedGraph();

// `num_layers` of three ops, each reading one to three outputs of the layer before. Times and bytes
// sampled from wide ranges, so that there are no ties.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> LayeredGraph(std::uint64_t seed,
                                                               std::int64_t num_layers);

// 14 ops of all fusion classes in two branches, most with FLOPs and bytes instead of measured
// times; the times that are measured are those of kernels. `num_copies` of them side by side.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> FusibleGraph(std::int64_t num_copies = 1);

// 8 ops that differ in their times on d0, d1 and d2; two for GPUs only, one for CPUs only, and two
// pairs that stay together.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> ConstrainedGraph();

// Four ops that take about 2, 3, 5 and 7 days.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> LongGraph();

// Four devices, two on either of the switches "left" and "right"; between these one link of
// `trunk`'s sort. Two or three hops between any two.
[[nodiscard]] sim::HardwareProfile TwoSwitchMachine(sim::Duplex trunk);

// MeshMachine with links that carry one direction at a time.
[[nodiscard]] sim::HardwareProfile HalfDuplexMesh(std::size_t num_devices, std::int64_t latency_us);

// The same devices with launches of 1 us, a memory of 1000 bytes per us and 1 TFLOP/s.
[[nodiscard]] sim::HardwareProfile WithLaunches(sim::HardwareProfile machine);

}  // namespace opyard::testing
