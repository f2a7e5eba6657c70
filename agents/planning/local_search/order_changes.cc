#include "agents/planning/local_search/order_changes.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

namespace opyard::agents {
namespace {

bool WaitsForOneOf(const sim::OpGraph& graph, OpId op, const std::unordered_set<OpId>& ops) {
  return std::ranges::any_of(
             graph.inputs(op),
             [&](TensorId input) { return ops.contains(graph.tensor(input).producer); }) ||
         std::ranges::any_of(graph.control_inputs(op),
                             [&](OpId before) { return ops.contains(before); });
}

// The ops of `between` that wait for `op`, directly or not, and `op`. REQUIRES: `between` follows
// `op` in an order of the graph.
std::unordered_set<OpId> Followers(const sim::OpGraph& graph,
                                   OpId op,
                                   std::span<const OpId> between) {
  std::unordered_set<OpId> followers{op};
  for (const OpId each : between) {
    if (WaitsForOneOf(graph, each, followers)) {
      followers.insert(each);
    }
  }
  return followers;
}

// The ops of `between` that `op` waits for, directly or not, and `op`. REQUIRES: `op` follows
// `between` in an order of the graph.
std::unordered_set<OpId> Leaders(const sim::OpGraph& graph,
                                 OpId op,
                                 std::span<const OpId> between) {
  const std::unordered_set<OpId> candidates(between.begin(), between.end());
  std::unordered_set<OpId> leaders{op};
  std::vector<OpId> open{op};
  const auto add = [&](OpId before) {
    if (candidates.contains(before) && leaders.insert(before).second) {
      open.push_back(before);
    }
  };
  while (!open.empty()) {
    const OpId next = open.back();
    open.pop_back();
    for (const TensorId input : graph.inputs(next)) {
      add(graph.tensor(input).producer);
    }
    std::ranges::for_each(graph.control_inputs(next), add);
  }
  return leaders;
}

// The part of `order` from `first` to `last`; nothing if `last` is not behind `first`.
std::optional<std::span<OpId>> PartOf(std::vector<OpId>& order, OpId first, OpId last) {
  const auto begin = std::ranges::find(order, first);
  const auto end = std::find(begin, order.end(), last);
  return end == order.end() || begin == end ? std::nullopt
                                            : std::optional(std::span(begin, end + 1));
}

}  // namespace

std::optional<std::vector<OpId>> WithOpBefore(const sim::OpGraph& graph,
                                              std::vector<OpId> order,
                                              OpId op,
                                              OpId ahead) {
  const auto part = PartOf(order, ahead, op);
  if (!part.has_value()) {
    return std::nullopt;
  }
  const std::unordered_set<OpId> leaders = Leaders(graph, op, part->first(part->size() - 1));
  if (leaders.contains(ahead)) {
    return std::nullopt;
  }
  std::stable_partition(
      part->begin(), part->end(), [&](OpId each) { return leaders.contains(each); });
  return order;
}

std::optional<std::vector<OpId>> WithOpBehind(const sim::OpGraph& graph,
                                              std::vector<OpId> order,
                                              OpId op,
                                              OpId next) {
  const auto part = PartOf(order, op, next);
  if (!part.has_value()) {
    return std::nullopt;
  }
  const std::unordered_set<OpId> followers = Followers(graph, op, part->subspan(1));
  if (followers.contains(next)) {
    return std::nullopt;
  }
  std::stable_partition(
      part->begin(), part->end(), [&](OpId each) { return !followers.contains(each); });
  return order;
}

}  // namespace opyard::agents
