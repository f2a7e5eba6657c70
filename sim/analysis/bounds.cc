#include "sim/analysis/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "sim/graph/algorithms.h"
#include "sim/hardware/device.h"

namespace opyard::sim {
namespace {

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

// The least time that a fused op adds: kernels add up the FLOP terms before they round.
SimTime FlopTime(const CostTable& costs, OpId op, DeviceId device) {
  return SimTime{static_cast<std::int64_t>(std::floor(costs.cost(op, device).flop_s * 1e12))};
}

// The least time of `op` over its allowed devices.
template <class TimeOn>
SimTime LeastTime(const Op& op, const HardwareProfile& hardware, const TimeOn& time_on) {
  SimTime least{std::numeric_limits<std::int64_t>::max()};
  for (std::size_t d = 0; d < hardware.num_devices(); ++d) {
    if (IsAllowedOn(op, hardware.devices[d])) {
      least = std::min(least, time_on(DeviceId(d)));
    }
  }
  return least;
}

// The bound over all plans in which op o takes least[o] at least, wherever it is.
SimTime BoundOf(const OpGraph& graph,
                const HardwareProfile& hardware,
                const std::vector<SimTime>& least) {
  SimTime total;
  std::array<SimTime, kNumDeviceKinds> bound_to_kind{};
  std::array<std::int64_t, kNumDeviceKinds> num_of_kind{};
  std::int64_t num_devices = 0;
  for (const Device& device : hardware.devices) {
    num_of_kind[static_cast<std::size_t>(device.kind)] += device.runs_ops ? 1 : 0;
    num_devices += device.runs_ops ? 1 : 0;
  }
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    total += least[i];
    if (const auto kind = OnlyKind(graph.op(OpId(i)), hardware)) {
      bound_to_kind[static_cast<std::size_t>(*kind)] += least[i];
    }
  }
  SimTime bound = std::max(LongestPath(graph, least), SimTime{total.picoseconds / num_devices});
  for (std::size_t kind = 0; kind < kNumDeviceKinds; ++kind) {
    if (num_of_kind[kind] > 0) {
      bound = std::max(bound, SimTime{bound_to_kind[kind].picoseconds / num_of_kind[kind]});
    }
  }
  return bound;
}

// The bytes that `op` holds while it runs, beside parameters.
Bytes WorkingSet(const OpGraph& graph, OpId op, const std::vector<TensorId>& storages) {
  std::map<TensorId, Bytes> held;  // by storage
  for (const TensorId input : graph.inputs(op)) {
    if (!graph.aliases_params(input)) {
      const TensorId storage = storages[input.index()];
      // On its own device all of the storage is held; a copy elsewhere is as large as the view.
      const Bytes bytes = std::min(graph.tensor(storage).bytes, graph.tensor(input).bytes);
      const auto [entry, is_new] = held.emplace(storage, bytes);
      entry->second = std::min(entry->second, bytes);
    }
  }
  Bytes sum = graph.op(op).workspace_bytes;
  for (const auto& [storage, bytes] : held) {
    sum += bytes;
  }
  for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
    const TensorId output = graph.output(op, i);
    if (graph.tensor(output).alias == Alias::kNone) {
      sum += graph.tensor(output).bytes;
    }
  }
  return sum;
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

SimTime PlanBound(const FusionGraph& graph,
                  const Kernels& kernels,
                  std::span<const PlacedKernel> placed) {
  std::vector<SimTime> finish(kernels.num_kernels);
  std::vector<SimTime> work;  // by device, as far as any is used
  SimTime bound;
  for (const std::int32_t kernel : kernels.topological_order) {
    const auto [time, device, release] = placed[At(kernel)];
    SimTime start = release;
    for (const std::int32_t op : kernels.ops_of(At(kernel))) {
      for (const std::int32_t before : graph.predecessors_of(op)) {
        const std::int32_t earlier = kernels.kernel_of[At(before)];
        start = earlier == kernel ? start : std::max(start, finish[At(earlier)]);
      }
    }
    finish[At(kernel)] = start + time;
    work.resize(std::max(work.size(), device.index() + 1));
    work[device.index()] += time;
    bound = std::max({bound, finish[At(kernel)], work[device.index()]});
  }
  return bound;
}

SimTime ProblemBound(const OpGraph& graph,
                     const HardwareProfile& hardware,
                     const CostTable& costs) {
  std::vector<SimTime> least;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    least.push_back(LeastTime(
        graph.op(OpId(i)), hardware, [&](DeviceId device) { return costs.time(OpId(i), device); }));
  }
  return BoundOf(graph, hardware, least);
}

SimTime ProblemBoundWithFusion(const OpGraph& graph,
                               const HardwareProfile& hardware,
                               const CostTable& costs) {
  std::vector<SimTime> least;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const Op& op = graph.op(OpId(i));
    least.push_back(LeastTime(op, hardware, [&](DeviceId device) {
      return op.fusion_class == FusionClass::kOpaque ? costs.time(OpId(i), device)
                                                     : FlopTime(costs, OpId(i), device);
    }));
  }
  return BoundOf(graph, hardware, least);
}

Bytes MemoryBound(const OpGraph& graph) {
  std::vector<TensorId> storages(graph.num_tensors());
  Bytes parameters;
  Bytes largest;
  for (const OpId op : graph.topological_order()) {
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      const TensorId output = graph.output(op, i);
      const Tensor& tensor = graph.tensor(output);
      storages[output.index()] =
          tensor.alias == Alias::kInput ? storages[tensor.aliased.index()] : output;
    }
    parameters += graph.op(op).param_bytes;
    largest = std::max(largest, WorkingSet(graph, op, storages));
  }
  return parameters + largest;
}

}  // namespace opyard::sim
