#include "experiments/graphs/graph_figures.h"

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <utility>

#include "sim/analysis/bounds.h"
#include "sim/analysis/one_device_memory.h"

namespace opyard::experiments {
namespace {

void Add(const sim::Op& op, Bytes outputs, OpTotals& totals) {
  ++totals.ops;
  totals.flops += op.flops.count;
  totals.bytes += outputs;
}

// False for the second device of a memory pool and those after it.
bool IsFirstOfItsMemory(const sim::HardwareProfile& machine, std::size_t device) {
  const std::int32_t pool = machine.devices[device].memory_pool;
  return pool == sim::Device::kNoMemoryPool ||
         machine.DevicesOfPool(static_cast<std::size_t>(pool)).front() == DeviceId(device);
}

}  // namespace

std::string PhaseName(std::size_t phase) {
  return std::string(sim::NameOf(static_cast<sim::Phase>(phase)));
}

GraphFigures FiguresOf(const sim::OpGraph& graph) {
  GraphFigures figures{.memory_bound = sim::MemoryBound(graph),
                       .one_device_peak = sim::MemoryOnOneDevice(graph).peak,
                       .extent = sim::ExtentOf(graph)};
  std::map<std::string, OpTotals> types;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const sim::Op& op = graph.op(OpId(i));
    Bytes outputs;
    for (std::size_t k = 0; k < graph.num_outputs(OpId(i)); ++k) {
      const sim::Tensor& tensor = graph.tensor(graph.output(OpId(i), k));
      outputs += tensor.bytes;
      figures.activations += tensor.alias == sim::Alias::kNone ? tensor.bytes : Bytes{0};
    }
    figures.parameters += op.param_bytes;
    figures.num_measured += graph.measured_times(OpId(i)).empty() ? 0 : 1;
    Add(op, outputs, figures.all);
    Add(op, outputs, figures.phases[static_cast<std::size_t>(op.phase)]);
    Add(op, outputs, types[op.type]);
  }
  figures.types.assign(types.begin(), types.end());
  std::ranges::stable_sort(
      figures.types, std::greater<>(), [](const auto& type) { return type.second.ops; });
  return figures;
}

env::Problem ProblemOfSingleOps(std::shared_ptr<const sim::OpGraph> graph,
                                std::shared_ptr<const sim::HardwareProfile> machine) {
  return env::Problem({.graph = std::move(graph),
                       .hardware = std::move(machine),
                       .settings = {.default_fusion = env::DefaultFusion::kNone,
                                    .decide_per = env::DecidePer::kOp}});
}

MachineFigures FiguresOn(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  MachineFigures figures{.name = problem.hardware().name,
                         .bound = problem.problem_bound(),
                         .coverage = MeasuredCoverageOf(graph, problem.hardware())};
  std::vector<SimTime> least;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const auto devices = problem.AllowedDevices(GroupId(problem.grouping().group_of[i]));
    const auto time_on = [&](DeviceId device) { return problem.costs().time(OpId(i), device); };
    least.push_back(std::ranges::min(devices | std::views::transform(time_on)));
    figures.work += least.back();
  }
  figures.critical_path = sim::LongestPath(graph, least);
  for (std::size_t d = 0; d < problem.hardware().num_devices(); ++d) {
    const Bytes capacity = problem.hardware().capacity(DeviceId(d));
    figures.capacity += IsFirstOfItsMemory(problem.hardware(), d) ? capacity : Bytes{};
    figures.devices.emplace_back(problem.hardware().devices[d].name, capacity);
  }
  return figures;
}

}  // namespace opyard::experiments
