#include "agents/classical/peft/optimistic_costs.h"

#include <algorithm>
#include <limits>

#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {

OptimisticCosts::OptimisticCosts(const env::Problem& problem,
                                 const TransferTimes& transfers,
                                 const OpTimes& times,
                                 std::span<const DeviceId> mean_devices)
    : num_devices_(problem.hardware().num_devices()),
      table_(problem.graph().num_ops() * num_devices_, 0.0) {
  const sim::OpGraph& graph = problem.graph();
  const TransferTimes::Line mean = transfers.Mean(mean_devices);
  // From the start of an op on a device to the end of the step; [num_ops, num_devices] row-major.
  std::vector<double> from_start(table_.size(), 0.0);
  std::vector<double> least_from_start(graph.num_ops(), 0.0);
  const auto count = [&](OpId op, OpId consumer, double transfer_s) {
    const bool stays = GroupOf(problem, op) == GroupOf(problem, consumer);
    for (std::size_t d = 0; d < num_devices_; ++d) {
      const double here = from_start[consumer.index() * num_devices_ + d];
      const double elsewhere = least_from_start[consumer.index()] + transfer_s;
      double& cost = table_[op.index() * num_devices_ + d];
      cost = std::max(cost, stays ? here : std::min(here, elsewhere));
    }
  };
  const auto order = graph.topological_order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    for (std::size_t k = 0; k < graph.num_outputs(*it); ++k) {
      const TensorId tensor = graph.output(*it, k);
      const auto bytes = static_cast<double>(graph.tensor(tensor).bytes.count);
      for (const OpId consumer : graph.consumers(tensor)) {
        count(*it, consumer, mean.latency_s + bytes * mean.seconds_per_byte);
      }
    }
    for (const OpId consumer : graph.control_consumers(*it)) {
      count(*it, consumer, mean.latency_s);
    }
    const auto first = from_start.begin() + static_cast<std::ptrdiff_t>(it->index() * num_devices_);
    std::fill_n(first, num_devices_, std::numeric_limits<double>::infinity());
    double& least = least_from_start[it->index()];
    least = std::numeric_limits<double>::infinity();
    const auto group = static_cast<std::int32_t>(GroupOf(problem, *it));
    for (const DeviceId device : problem.AllowedDevices(GroupId(group))) {
      const double cost = Of(*it, device) + times.time(*it, device).seconds();
      from_start[it->index() * num_devices_ + device.index()] = cost;
      least = std::min(least, cost);
    }
  }
}

std::vector<double> OptimisticRanks(const env::Problem& problem,
                                    const OptimisticCosts& costs,
                                    std::span<const DeviceId> devices) {
  std::vector<double> ranks;
  for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
    const std::size_t group = GroupOf(problem, OpId(i));
    const auto allowed = problem.AllowedDevices(GroupId(group));
    std::vector<DeviceId> counted(devices.begin(), devices.end());
    std::erase_if(counted, [&](DeviceId device) { return !IsAllowed(problem, group, device); });
    if (counted.empty()) {
      counted.assign(allowed.begin(), allowed.end());
    }
    double sum = 0.0;
    for (const DeviceId device : counted) {
      sum += costs.Of(OpId(i), device);
    }
    ranks.push_back(sum / static_cast<double>(counted.size()));
  }
  return ranks;
}

}  // namespace opyard::agents
