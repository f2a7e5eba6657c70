#include "tests/support/reference_streams.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "tests/support/reference_copies.h"

namespace opyard::testing {

std::vector<sim::Stream> StreamsOfOps(const sim::OpGraph& graph, const sim::Plan& plan) {
  std::vector<sim::Stream> streams;
  if (plan.queue == sim::QueueDiscipline::kOrder) {
    for (const std::vector<sim::Stream>& of_device : plan.order) {
      streams.insert(streams.end(), of_device.begin(), of_device.end());
    }
  }
  if (plan.queue == sim::QueueDiscipline::kProgram) {
    const std::vector<std::int32_t> indices = TopologicalIndices(graph);
    std::map<DeviceId, std::map<std::int32_t, OpId>> by_index;
    for (std::size_t i = 0; i < graph.num_ops(); ++i) {
      by_index[plan.placement[i]][indices[i]] = OpId(i);
    }
    for (const auto& [device, ops] : by_index) {
      streams.emplace_back();
      for (const auto& [index, op] : ops) {
        streams.back().push_back(op);
      }
    }
  }
  return streams;
}

namespace {

OpSet PredecessorsOf(const sim::OpGraph& graph, OpId op) {
  OpSet before(graph.control_inputs(op).begin(), graph.control_inputs(op).end());
  for (const TensorId input : graph.inputs(op)) {
    before.insert(graph.tensor(input).producer);
  }
  return before;
}

bool CanRun(const sim::OpGraph& graph, const OpSet& kernel, const OpSet& has_run) {
  return std::ranges::all_of(kernel, [&](OpId op) {
    return std::ranges::all_of(PredecessorsOf(graph, op), [&](OpId before) {
      return kernel.contains(before) || has_run.contains(before);
    });
  });
}

// The kernels that stand first in their streams and cannot run, with their first op, once all that
// can run has; those that have run are in `has_run`.
std::map<OpId, OpSet> StuckHeads(const sim::OpGraph& graph,
                                 const std::vector<sim::Stream>& streams,
                                 const std::vector<OpSet>& kernels,
                                 OpSet& has_run) {
  std::map<OpId, OpSet> stuck;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    stuck.clear();
    for (const sim::Stream& stream : streams) {
      const auto head =
          std::ranges::find_if(stream, [&](OpId op) { return !has_run.contains(op); });
      if (head == stream.end()) {
        continue;
      }
      const auto kernel =
          std::ranges::find_if(kernels, [&](const OpSet& ops) { return ops.contains(*head); });
      if (CanRun(graph, *kernel, has_run)) {
        has_run.insert(kernel->begin(), kernel->end());
        goes_on = true;
      } else {
        stuck[*head] = *kernel;
      }
    }
  }
  return stuck;
}

// With the ops of `kernel` alone.
std::vector<OpSet> Split(const sim::OpGraph& graph,
                         const std::vector<OpSet>& kernels,
                         const OpSet& kernel) {
  const std::vector<std::int32_t> indices = TopologicalIndices(graph);
  std::map<std::int32_t, OpSet> by_least_index;
  const auto add = [&](const OpSet& ops) {
    std::set<std::int32_t> of_ops;
    for (const OpId op : ops) {
      of_ops.insert(indices[op.index()]);
    }
    by_least_index[*of_ops.begin()] = ops;
  };
  for (const OpSet& other : kernels) {
    if (other != kernel) {
      add(other);
    }
  }
  for (const OpId op : kernel) {
    add({op});
  }
  std::vector<OpSet> all;
  for (const auto& [index, ops] : by_least_index) {
    all.push_back(ops);
  }
  return all;
}

bool IsInOneStream(const std::vector<sim::Stream>& streams, const OpSet& ops) {
  return std::ranges::any_of(streams, [&](const sim::Stream& stream) {
    return std::ranges::all_of(
        ops, [&](OpId op) { return std::ranges::find(stream, op) != stream.end(); });
  });
}

}  // namespace

std::vector<OpSet> TakeApart(const sim::OpGraph& graph,
                             const sim::Plan& plan,
                             std::vector<OpSet> kernels) {
  const std::vector<sim::Stream> streams = StreamsOfOps(graph, plan);
  const std::vector<OpSet> before = kernels;
  for (const OpSet& kernel : before) {
    if (!IsInOneStream(streams, kernel)) {
      kernels = Split(graph, kernels, kernel);
    }
  }
  while (true) {
    OpSet has_run;
    const std::map<OpId, OpSet> stuck = StuckHeads(graph, streams, kernels, has_run);
    const auto forbidden = std::ranges::find_if(kernels, [&](const OpSet& kernel) {
      return std::ranges::any_of(stuck, [&](const auto& entry) {
        return entry.second == kernel && CanRun(graph, {entry.first}, has_run);
      });
    });
    if (forbidden == kernels.end()) {
      return kernels;
    }
    kernels = Split(graph, kernels, OpSet(*forbidden));
  }
}

std::vector<std::optional<std::size_t>> KernelsBefore(const sim::OpGraph& graph,
                                                      const sim::Plan& plan,
                                                      const ReferenceKernels& kernels) {
  std::vector<std::optional<std::size_t>> before(kernels.size());
  for (const sim::Stream& stream : StreamsOfOps(graph, plan)) {
    std::set<std::size_t> seen;
    std::optional<std::size_t> last;
    for (const OpId op : stream) {
      const std::size_t kernel = kernels.Of(op);
      if (seen.insert(kernel).second) {
        before[kernel] = last;
        last = kernel;
      }
    }
  }
  return before;
}

}  // namespace opyard::testing
