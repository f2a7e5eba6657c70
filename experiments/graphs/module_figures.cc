#include "experiments/graphs/module_figures.h"

#include <algorithm>
#include <ranges>

#include "sim/graph/modules.h"

namespace opyard::experiments {
namespace {

// Nothing for an op without a measured time.
std::optional<SimTime> MeasuredTimeOf(const sim::OpGraph& graph, OpId op) {
  const auto times = graph.measured_times(op);
  const auto everywhere = std::ranges::find(times, "*", &sim::MeasuredTime::where);
  if (times.empty()) {
    return std::nullopt;
  }
  return SimTime::FromSeconds((everywhere == times.end() ? times.front() : *everywhere).seconds);
}

SimTime TimeOnAccelerator(const env::Problem& problem, OpId op) {
  const auto devices = problem.AllowedDevices(GroupId(problem.grouping().group_of[op.index()]));
  const auto time_on = [&](DeviceId device) { return problem.costs().time(op, device); };
  return std::ranges::binary_search(devices, problem.first_accelerator())
             ? time_on(problem.first_accelerator())
             : std::ranges::min(devices | std::views::transform(time_on));
}

Bytes OutputBytesOf(const sim::OpGraph& graph, OpId op) {
  Bytes bytes;
  for (std::size_t output = 0; output < graph.num_outputs(op); ++output) {
    bytes += graph.tensor(graph.output(op, output)).bytes;
  }
  return bytes;
}

void AddOp(const sim::OpGraph& graph,
           const env::Problem* problem,
           OpId op,
           ModuleFigures& figures) {
  ++figures.totals.ops;
  figures.totals.flops += graph.op(op).flops.count;
  figures.totals.bytes += OutputBytesOf(graph, op);
  figures.parameters += graph.op(op).param_bytes;
  const std::optional<SimTime> time = problem != nullptr
                                          ? std::optional(TimeOnAccelerator(*problem, op))
                                          : MeasuredTimeOf(graph, op);
  if (time.has_value()) {
    figures.time = figures.time.value_or(SimTime{}) + *time;
  }
}

}  // namespace

std::vector<ModuleFigures> ModuleFiguresOf(const sim::OpGraph& graph,
                                           const env::Problem* problem,
                                           std::int32_t most_depth) {
  const sim::ModuleTree tree = sim::ModuleTreeOf(graph);
  std::vector<ModuleFigures> figures;
  std::vector<std::size_t> row_of(tree.modules.size());  // of its ancestor that has one
  for (std::size_t i = 0; i < tree.modules.size(); ++i) {
    const auto module = static_cast<std::int32_t>(i);
    const std::int32_t depth = DepthOf(tree, module);
    if (depth <= most_depth) {
      row_of[i] = figures.size();
      figures.push_back({.path = tree.modules[i].path, .depth = depth});
    } else {
      row_of[i] = row_of[static_cast<std::size_t>(tree.modules[i].parent)];
    }
  }
  std::vector<std::size_t> parent_of(figures.size());
  for (std::size_t i = 1; i < tree.modules.size(); ++i) {
    if (DepthOf(tree, static_cast<std::int32_t>(i)) <= most_depth) {
      parent_of[row_of[i]] = row_of[static_cast<std::size_t>(tree.modules[i].parent)];
    }
  }
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    std::size_t row = row_of[static_cast<std::size_t>(tree.module_of[op])];
    AddOp(graph, problem, OpId(op), figures[row]);
    while (row > 0) {
      row = parent_of[row];
      AddOp(graph, problem, OpId(op), figures[row]);
    }
  }
  return figures;
}

}  // namespace opyard::experiments
