#include "agents/classical/cpop/critical_path.h"

#include <algorithm>
#include <functional>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/ranks.h"

namespace opyard::agents {
namespace {

// Relative. Ranks along a critical path are equal but for the rounding of their sums.
constexpr double kRounding = 1e-9;

// The op of `ops` with the greatest priority; of those that are equal but for rounding the first in
// topological order.
std::optional<OpId> Foremost(const sim::OpGraph& graph,
                             std::span<const double> priority,
                             std::span<const OpId> ops) {
  double greatest = 0.0;
  for (const OpId op : ops) {
    greatest = std::max(greatest, priority[op.index()]);
  }
  std::optional<OpId> best;
  for (const OpId op : ops) {
    if (priority[op.index()] >= greatest * (1.0 - kRounding) &&
        (!best.has_value() || graph.topological_index(op) < graph.topological_index(*best))) {
      best = op;
    }
  }
  return best;
}

std::vector<OpId> Sources(const sim::OpGraph& graph) {
  std::vector<OpId> sources;
  for (const OpId op : graph.topological_order()) {
    if (graph.inputs(op).empty() && graph.control_inputs(op).empty()) {
      sources.push_back(op);
    }
  }
  return sources;
}

std::vector<OpId> Consumers(const sim::OpGraph& graph, OpId op) {
  std::vector<OpId> consumers(graph.control_consumers(op).begin(),
                              graph.control_consumers(op).end());
  for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
    for (const OpId consumer : graph.consumers(graph.output(op, k))) {
      consumers.push_back(consumer);
    }
  }
  return consumers;
}

}  // namespace

std::vector<double> CpopPriorities(const env::Problem& problem,
                                   const TransferTimes::Line& mean,
                                   std::span<const DeviceId> devices) {
  std::vector<double> priority = UpwardRanks(problem, mean, devices);
  const std::vector<double> down = DownwardRanks(problem, mean, devices);
  std::ranges::transform(priority, down, priority.begin(), std::plus<>());
  return priority;
}

std::vector<OpId> CriticalPath(const sim::OpGraph& graph, std::span<const double> priority) {
  std::vector<OpId> path;
  for (std::optional<OpId> op = Foremost(graph, priority, Sources(graph)); op.has_value();
       op = Foremost(graph, priority, Consumers(graph, *op))) {
    path.push_back(*op);
  }
  return path;
}

DeviceId CriticalPathProcessor(const env::Problem& problem,
                               const OpTimes& times,
                               std::span<const OpId> path,
                               std::span<const DeviceId> devices) {
  return *std::ranges::min_element(devices, {}, [&](DeviceId device) {
    SimTime sum;
    for (const OpId op : path) {
      sum += IsAllowed(problem, GroupOf(problem, op), device) ? times.time(op, device) : SimTime{};
    }
    return sum;
  });
}

std::vector<std::optional<DeviceId>> PreferOnPath(const env::Problem& problem,
                                                  std::span<const OpId> path,
                                                  DeviceId device) {
  std::vector<std::optional<DeviceId>> preferred(NumGroups(problem));
  for (const OpId op : path) {
    preferred[GroupOf(problem, op)] = device;
  }
  return preferred;
}

}  // namespace opyard::agents
