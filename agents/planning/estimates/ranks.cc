#include "agents/planning/estimates/ranks.h"

#include <algorithm>
#include <numeric>

#include "sim/base/array_index.h"
#include "sim/hardware/device.h"

namespace opyard::agents {
namespace {

// Longest paths to a sink with `op_seconds(op)`, `tensor_seconds(tensor, consumer)` and
// `control_seconds(op, consumer)`. O(ops + edges).
template <class OpSeconds, class TensorSeconds, class ControlSeconds>
std::vector<double> LongestPaths(const sim::OpGraph& graph,
                                 const OpSeconds& op_seconds,
                                 const TensorSeconds& tensor_seconds,
                                 const ControlSeconds& control_seconds) {
  std::vector<double> path(graph.num_ops(), 0.0);
  const auto order = graph.topological_order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    double longest = 0.0;
    for (std::size_t k = 0; k < graph.num_outputs(*it); ++k) {
      const TensorId tensor = graph.output(*it, k);
      for (const OpId consumer : graph.consumers(tensor)) {
        longest = std::max(longest, tensor_seconds(tensor, consumer) + path[consumer.index()]);
      }
    }
    for (const OpId consumer : graph.control_consumers(*it)) {
      longest = std::max(longest, control_seconds(*it, consumer) + path[consumer.index()]);
    }
    path[it->index()] = op_seconds(*it) + longest;
  }
  return path;
}

double MeanSeconds(const env::Problem& problem, OpId op, std::span<const DeviceId> devices) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const DeviceId device : devices) {
    if (sim::IsAllowedOn(problem.graph().op(op), problem.hardware().devices[device.index()])) {
      sum += problem.costs().time(op, device).seconds();
      ++count;
    }
  }
  return count == 0 ? problem.costs().MeanSeconds(op) : sum / static_cast<double>(count);
}

}  // namespace

std::vector<double> UpwardRanks(const env::Problem& problem,
                                const TransferTimes& transfers,
                                std::span<const DeviceId> devices) {
  return UpwardRanks(problem, transfers.Mean(devices), devices);
}

std::vector<double> UpwardRanks(const env::Problem& problem,
                                const TransferTimes::Line& mean,
                                std::span<const DeviceId> devices) {
  return LongestPaths(
      problem.graph(),
      [&](OpId op) { return MeanSeconds(problem, op, devices); },
      [&](TensorId id, OpId consumer) { return MeanTransferSeconds(problem, mean, id, consumer); },
      [&](OpId op, OpId consumer) { return MeanControlSeconds(problem, mean, op, consumer); });
}

std::vector<double> DownwardRanks(const env::Problem& problem,
                                  const TransferTimes::Line& mean,
                                  std::span<const DeviceId> devices) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<double> path(graph.num_ops(), 0.0);
  for (const OpId op : graph.topological_order()) {
    const double end = path[op.index()] + MeanSeconds(problem, op, devices);
    const auto reach = [&](OpId consumer, double transfer_s) {
      path[consumer.index()] = std::max(path[consumer.index()], end + transfer_s);
    };
    for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
      const TensorId tensor = graph.output(op, k);
      for (const OpId consumer : graph.consumers(tensor)) {
        reach(consumer, MeanTransferSeconds(problem, mean, tensor, consumer));
      }
    }
    for (const OpId consumer : graph.control_consumers(op)) {
      reach(consumer, MeanControlSeconds(problem, mean, op, consumer));
    }
  }
  return path;
}

double MeanTransferSeconds(const env::Problem& problem,
                           const TransferTimes::Line& mean,
                           TensorId tensor,
                           OpId consumer) {
  const sim::Tensor& sent = problem.graph().tensor(tensor);
  const bool stays = GroupOf(problem, sent.producer) == GroupOf(problem, consumer);
  const auto bytes = static_cast<double>(sent.bytes.count);
  return stays ? 0.0 : mean.latency_s + bytes * mean.seconds_per_byte;
}

double MeanControlSeconds(const env::Problem& problem,
                          const TransferTimes::Line& mean,
                          OpId op,
                          OpId consumer) {
  return GroupOf(problem, op) == GroupOf(problem, consumer) ? 0.0 : mean.latency_s;
}

std::vector<double> PathsToSink(const env::Problem& problem,
                                const TransferTimes& transfers,
                                std::span<const DeviceId> placement,
                                EdgeTimes edge_times) {
  const sim::OpGraph& graph = problem.graph();
  const bool counts = edge_times == EdgeTimes::kCounted;
  return LongestPaths(
      graph,
      [&](OpId op) { return problem.costs().time(op, placement[op.index()]).seconds(); },
      [&](TensorId id, OpId consumer) {
        const sim::Tensor& tensor = graph.tensor(id);
        const DeviceId src = placement[tensor.producer.index()];
        const DeviceId dst = placement[consumer.index()];
        return counts ? transfers.Time(tensor.bytes, src, dst).seconds() : 0.0;
      },
      [&](OpId op, OpId consumer) {
        const DeviceId src = placement[op.index()];
        return counts ? transfers.ControlTime(src, placement[consumer.index()]).seconds() : 0.0;
      });
}

std::vector<double> MeanPathsToSink(const env::Problem& problem,
                                    std::span<const DeviceId> devices) {
  return LongestPaths(
      problem.graph(),
      [&](OpId op) { return MeanSeconds(problem, op, devices); },
      [](TensorId, OpId) { return 0.0; },
      [](OpId, OpId) { return 0.0; });
}

std::vector<double> OpsToSink(const sim::OpGraph& graph) {
  return LongestPaths(
      graph,
      [](OpId) { return 1.0; },
      [](TensorId, OpId) { return 0.0; },
      [](OpId, OpId) { return 0.0; });
}

std::vector<OpId> OrderByKey(const sim::OpGraph& graph, std::span<const double> key) {
  struct Entry {
    double key = 0.0;
    std::int32_t index = 0;  // topological
  };
  const auto topological = graph.topological_order();
  std::vector<Entry> entries;
  entries.reserve(topological.size());
  for (const OpId op : topological) {
    entries.push_back({.key = key[op.index()], .index = graph.topological_index(op)});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.key > b.key || (a.key == b.key && a.index < b.index);
  });
  std::vector<OpId> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) {
    order.push_back(topological[At(entry.index)]);
  }
  return order;
}

}  // namespace opyard::agents
