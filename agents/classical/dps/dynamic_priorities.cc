#include "agents/classical/dps/dynamic_priorities.h"

#include <algorithm>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/list_scheduling/ready_list_order.h"

namespace opyard::agents {

DynamicPriorities::DynamicPriorities(const env::Problem& problem,
                                     const TransferTimes& transfers,
                                     const OpTimes& times,
                                     const TransferTimes::Line& mean,
                                     std::span<const DeviceId> mean_devices)
    : problem_(problem),
      graph_(problem.graph()),
      transfers_(transfers),
      times_(times),
      mean_(mean),
      b_level_(UpwardRanks(problem, mean, mean_devices)),
      path_to_end_(graph_.num_ops(), 0.0),
      device_(graph_.num_ops()),
      num_awaited_(NumAwaited(graph_)) {
  for (const OpId op : graph_.topological_order()) {
    if (num_awaited_[op.index()] == 0) {
      MakeReady(op);
    }
  }
}

OpId DynamicPriorities::Next(const ListSchedule& so_far) {
  if (last_.has_value()) {
    Leave(*last_, so_far);
  }
  last_ = graph_.topological_order()[static_cast<std::size_t>(-ready_.top().second)];
  ready_.pop();
  return *last_;
}

// Calls `reach(producer, mean transfer time, transfer time from there to a device)` per input.
template <class Reach>
void DynamicPriorities::ForEachInput(OpId op, const Reach& reach) const {
  for (const TensorId input : graph_.inputs(op)) {
    const sim::Tensor& tensor = graph_.tensor(input);
    reach(tensor.producer, MeanTransferSeconds(problem_, mean_, input, op), [&](DeviceId device) {
      return transfers_.Time(tensor.bytes, device_[tensor.producer.index()], device);
    });
  }
  for (const OpId before : graph_.control_inputs(op)) {
    reach(before, MeanControlSeconds(problem_, mean_, before, op), [&](DeviceId device) {
      return transfers_.ControlTime(device_[before.index()], device);
    });
  }
}

void DynamicPriorities::MakeReady(OpId op) {
  double t_level = 0.0;
  ForEachInput(op, [&](OpId producer, double mean_s, const auto& /*time_to*/) {
    t_level = std::max(t_level, path_to_end_[producer.index()] + mean_s);
  });
  ready_.emplace(b_level_[op.index()] - t_level, -graph_.topological_index(op));
}

// Counts `op` where the schedule has it, and the ops that waited for it alone as ready.
void DynamicPriorities::Leave(OpId op, const ListSchedule& so_far) {
  const DeviceId device = so_far.device_of_group[GroupOf(problem_, op)];
  double t_level = 0.0;
  ForEachInput(op, [&](OpId producer, double /*mean_s*/, const auto& time_to) {
    t_level = std::max(t_level, path_to_end_[producer.index()] + time_to(device).seconds());
  });
  device_[op.index()] = device;
  path_to_end_[op.index()] = t_level + times_.time(op, device).seconds();
  const auto end_awaiting = [&](OpId consumer) {
    if (--num_awaited_[consumer.index()] == 0) {
      MakeReady(consumer);
    }
  };
  for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
    std::ranges::for_each(graph_.consumers(graph_.output(op, k)), end_awaiting);
  }
  std::ranges::for_each(graph_.control_consumers(op), end_awaiting);
}

}  // namespace opyard::agents
