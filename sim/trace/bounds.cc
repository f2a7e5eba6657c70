#include "sim/trace/bounds.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "sim/plan/validate.h"

namespace opyard::sim {
namespace {

// The longest path over data and control edges, where op o takes time[o].
SimTime LongestPath(const OpGraph& graph, std::span<const SimTime> time) {
  std::vector<SimTime> finish(graph.num_ops());
  SimTime longest;
  for (const OpId op : graph.topological_order()) {
    SimTime start;
    for (const TensorId input : graph.inputs(op)) {
      start = std::max(start, finish[graph.tensor(input).producer.index()]);
    }
    for (const OpId before : graph.control_inputs(op)) {
      start = std::max(start, finish[before.index()]);
    }
    finish[op.index()] = start + time[op.index()];
    longest = std::max(longest, finish[op.index()]);
  }
  return longest;
}

// The kind of the only devices that may run `op`, if they are all of one kind.
std::optional<DeviceKind> OnlyKind(const Op& op, const HardwareProfile& hardware) {
  std::optional<DeviceKind> only;
  for (const Device& device : hardware.devices) {
    if (!IsAllowedOn(op, device)) {
      continue;
    }
    if (only.has_value() && *only != device.kind) {
      return std::nullopt;
    }
    only = device.kind;
  }
  return only;
}

SimTime LeastTime(const OpGraph& graph,
                  const HardwareProfile& hardware,
                  const CostTable& costs,
                  OpId op) {
  SimTime least{std::numeric_limits<std::int64_t>::max()};
  for (std::size_t d = 0; d < hardware.num_devices(); ++d) {
    if (IsAllowedOn(graph.op(op), hardware.devices[d])) {
      least = std::min(least, costs.time(op, DeviceId(d)));
    }
  }
  return least;
}

}  // namespace

SimTime PlanBound(const OpGraph& graph,
                  const HardwareProfile& hardware,
                  const CostTable& costs,
                  std::span<const DeviceId> placement) {
  std::vector<SimTime> time(graph.num_ops());
  std::vector<SimTime> work(hardware.num_devices());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    time[i] = costs.time(OpId(i), placement[i]);
    work[placement[i].index()] += time[i];
  }
  return std::max(LongestPath(graph, time), *std::ranges::max_element(work));
}

SimTime ProblemBound(const OpGraph& graph,
                     const HardwareProfile& hardware,
                     const CostTable& costs) {
  std::vector<SimTime> least(graph.num_ops());
  SimTime total;
  std::array<SimTime, kNumDeviceKinds> bound_to_kind{};
  std::array<std::int64_t, kNumDeviceKinds> num_of_kind{};
  for (const Device& device : hardware.devices) {
    ++num_of_kind[static_cast<std::size_t>(device.kind)];
  }
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    least[i] = LeastTime(graph, hardware, costs, OpId(i));
    total += least[i];
    if (const auto kind = OnlyKind(graph.op(OpId(i)), hardware)) {
      bound_to_kind[static_cast<std::size_t>(*kind)] += least[i];
    }
  }
  const auto num_devices = static_cast<std::int64_t>(hardware.num_devices());
  SimTime bound = std::max(LongestPath(graph, least), SimTime{total.picoseconds / num_devices});
  for (std::size_t kind = 0; kind < kNumDeviceKinds; ++kind) {
    if (num_of_kind[kind] > 0) {
      bound = std::max(bound, SimTime{bound_to_kind[kind].picoseconds / num_of_kind[kind]});
    }
  }
  return bound;
}

}  // namespace opyard::sim
