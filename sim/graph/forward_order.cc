#include "sim/graph/forward_order.h"

#include <algorithm>
#include <numeric>

namespace opyard::sim {

std::vector<ForwardPlace> ForwardPlacesOf(const OpGraph& graph) {
  const bool has_forward =
      std::ranges::any_of(graph.ops(), [](const Op& op) { return op.phase == Phase::kForward; });
  std::vector<ForwardPlace> places;
  places.reserve(graph.num_ops());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId op(i);
    const bool is_forward = !has_forward || graph.op(op).phase == Phase::kForward;
    places.push_back({.rank = !is_forward                ? 2
                              : graph.inputs(op).empty() ? 1
                                                         : 0,
                      .index = graph.topological_index(op)});
  }
  return places;
}

std::vector<std::int32_t> GroupsInForwardOrder(const OpGraph& graph, const Grouping& grouping) {
  const std::vector<ForwardPlace> places = ForwardPlacesOf(graph);
  std::vector<ForwardPlace> of_group(static_cast<std::size_t>(grouping.num_groups));
  for (std::size_t op = 0; op < places.size(); ++op) {
    ForwardPlace& place = of_group[static_cast<std::size_t>(grouping.group_of[op])];
    place = std::min(place, places[op]);
  }
  std::vector<std::int32_t> order(of_group.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&of_group](std::int32_t group) {
    return of_group[static_cast<std::size_t>(group)].index;
  });
  return order;
}

}  // namespace opyard::sim
