#include "agents/classical/cpop/critical_path.h"

#include <algorithm>
#include <functional>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/ranks.h"

namespace opyard::agents {
namespace {

// The op with the greatest priority among those that it is offered.
class Foremost {
 public:
  Foremost(const sim::OpGraph& graph, std::span<const double> priority)
      : graph_(graph), priority_(priority) {}

  void Offer(OpId op) {
    if (!best_.has_value() || Precedes(op, *best_)) {
      best_ = op;
    }
  }

  [[nodiscard]] std::optional<OpId> best() const { return best_; }

 private:
  [[nodiscard]] bool Precedes(OpId a, OpId b) const {
    const double first = priority_[a.index()];
    const double second = priority_[b.index()];
    return first > second ||
           (first == second && graph_.topological_index(a) < graph_.topological_index(b));
  }

  const sim::OpGraph& graph_;
  std::span<const double> priority_;
  std::optional<OpId> best_;
};

std::optional<OpId> ForemostConsumer(const sim::OpGraph& graph,
                                     std::span<const double> priority,
                                     OpId op) {
  Foremost foremost(graph, priority);
  for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
    for (const OpId consumer : graph.consumers(graph.output(op, k))) {
      foremost.Offer(consumer);
    }
  }
  for (const OpId consumer : graph.control_consumers(op)) {
    foremost.Offer(consumer);
  }
  return foremost.best();
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
  Foremost source(graph, priority);
  for (const OpId op : graph.topological_order()) {
    if (graph.inputs(op).empty() && graph.control_inputs(op).empty()) {
      source.Offer(op);
    }
  }
  std::vector<OpId> path;
  for (std::optional<OpId> op = source.best(); op.has_value();
       op = ForemostConsumer(graph, priority, *op)) {
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
