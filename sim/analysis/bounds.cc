#include "sim/analysis/bounds.h"

#include <algorithm>
#include <map>
#include <vector>

#include "sim/graph/algorithms.h"

namespace opyard::sim {
namespace {

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

bool RunsOneOpAtATime(const HardwareProfile& hardware, QueueDiscipline queue) {
  return queue != QueueDiscipline::kOrder || hardware.execution.streams == StreamRule::kSerial;
}

SimTime PlanBound(const OpGraph& graph,
                  const HardwareProfile& hardware,
                  const CostTable& costs,
                  const Plan& plan) {
  std::vector<SimTime> time(graph.num_ops());
  std::vector<SimTime> work(hardware.num_devices());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    time[i] = costs.time(OpId(i), plan.placement[i]);
    work[plan.placement[i].index()] += time[i];
  }
  const SimTime path = LongestPath(graph, time);
  return RunsOneOpAtATime(hardware, plan.queue) ? std::max(path, *std::ranges::max_element(work))
                                                : path;
}

SimTime PlanBound(const FusionGraph& graph,
                  const Kernels& kernels,
                  std::span<const PlacedKernel> placed,
                  bool one_op_at_a_time) {
  std::vector<SimTime> finish(kernels.num_kernels);
  std::vector<SimTime> work;  // by device, as far as any is used
  SimTime path;
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
    path = std::max(path, finish[At(kernel)]);
  }
  return one_op_at_a_time && !work.empty() ? std::max(path, *std::ranges::max_element(work)) : path;
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
