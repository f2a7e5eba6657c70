#include "agents/planning/list_scheduling/ready_list_order.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace opyard::agents {

std::vector<std::size_t> NumAwaited(const sim::OpGraph& graph) {
  std::vector<std::size_t> num_awaited(graph.num_ops(), 0);
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    for (const OpId consumer : graph.consumers(TensorId(i))) {
      ++num_awaited[consumer.index()];
    }
  }
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    num_awaited[i] += graph.control_inputs(OpId(i)).size();
  }
  return num_awaited;
}

std::vector<OpId> ReadyListOrder(const sim::OpGraph& graph, std::span<const double> rank) {
  std::vector<std::size_t> num_awaited = NumAwaited(graph);
  std::priority_queue<std::pair<double, std::int32_t>> ready;  // rank, −topological index
  const auto add = [&](OpId op) { ready.emplace(rank[op.index()], -graph.topological_index(op)); };
  const auto end_awaiting = [&](OpId op) {
    if (--num_awaited[op.index()] == 0) {
      add(op);
    }
  };
  for (const OpId op : graph.topological_order()) {
    if (num_awaited[op.index()] == 0) {
      add(op);
    }
  }
  std::vector<OpId> order;
  while (!ready.empty()) {
    const OpId op = graph.topological_order()[static_cast<std::size_t>(-ready.top().second)];
    ready.pop();
    order.push_back(op);
    for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
      std::ranges::for_each(graph.consumers(graph.output(op, k)), end_awaiting);
    }
    std::ranges::for_each(graph.control_consumers(op), end_awaiting);
  }
  return order;
}

}  // namespace opyard::agents
