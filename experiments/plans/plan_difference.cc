#include "experiments/plans/plan_difference.h"

#include <algorithm>
#include <map>
#include <utility>

namespace opyard::experiments {
namespace {

template <class Number>
std::vector<PriorityDifference> DifferentPriorities(const std::vector<Number>& before,
                                                    const std::vector<Number>& after,
                                                    std::size_t num_ops) {
  std::vector<PriorityDifference> differences;
  for (std::size_t i = 0; i < num_ops; ++i) {
    const Number left = before.empty() ? Number{0} : before[i];
    const Number right = after.empty() ? Number{0} : after[i];
    if (left != right) {
      differences.push_back({.op = OpId(i), .before = left, .after = right});
    }
  }
  return differences;
}

std::vector<TransferDifference> DifferentTransfers(const sim::Plan& before,
                                                   const sim::Plan& after) {
  using Priorities = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
  std::map<std::pair<TensorId, DeviceId>, Priorities> copies;
  for (const sim::TransferPriority& entry : before.transfer_priority) {
    copies[{entry.tensor, entry.destination}].first = entry.priority;
  }
  for (const sim::TransferPriority& entry : after.transfer_priority) {
    copies[{entry.tensor, entry.destination}].second = entry.priority;
  }
  std::vector<TransferDifference> differences;
  for (const auto& [copy, priorities] : copies) {
    if (priorities.first != priorities.second) {
      differences.push_back({.tensor = copy.first,
                             .destination = copy.second,
                             .before = priorities.first,
                             .after = priorities.second});
    }
  }
  return differences;
}

// [num_ops]: the place of each op.
std::vector<StreamPlace> PlacesOf(const sim::Plan& plan) {
  std::vector<StreamPlace> places(plan.placement.size());
  for (std::size_t device = 0; device < plan.order.size(); ++device) {
    for (std::size_t stream = 0; stream < plan.order[device].size(); ++stream) {
      const sim::Stream& ops = plan.order[device][stream];
      for (std::size_t i = 0; i < ops.size(); ++i) {
        places[ops[i].index()] = {.device = DeviceId(device), .stream = stream, .position = i};
      }
    }
  }
  return places;
}

// The ops among `ops` that are not on a longest list of them with ascending `position` (patience
// sorting).
std::vector<OpId> OutOfOrder(const std::vector<OpId>& ops, const std::vector<StreamPlace>& places) {
  const auto position = [&](std::size_t i) { return places[ops[i].index()].position; };
  std::vector<std::size_t> tails;                              // of the best list of each length
  std::vector<std::optional<std::size_t>> before(ops.size());  // on the list that ends there
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto tail = std::ranges::lower_bound(tails, position(i), {}, position);
    if (tail != tails.begin()) {
      before[i] = *(tail - 1);
    }
    if (tail == tails.end()) {
      tails.push_back(i);
    } else {
      *tail = i;
    }
  }
  std::vector<bool> stays(ops.size());
  for (std::optional<std::size_t> i = tails.empty() ? std::nullopt : std::optional(tails.back());
       i.has_value();
       i = before[*i]) {
    stays[*i] = true;
  }
  std::vector<OpId> others;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!stays[i]) {
      others.push_back(ops[i]);
    }
  }
  return others;
}

std::vector<OrderDifference> DifferentOrder(const sim::Plan& before, const sim::Plan& after) {
  const std::vector<StreamPlace> old_places = PlacesOf(before);
  const std::vector<StreamPlace> new_places = PlacesOf(after);
  std::vector<OpId> moved;
  for (std::size_t device = 0; device < after.order.size(); ++device) {
    for (std::size_t stream = 0; stream < after.order[device].size(); ++stream) {
      std::vector<OpId> kept;
      for (const OpId op : after.order[device][stream]) {
        const StreamPlace& place = old_places[op.index()];
        const bool is_here = place.device == DeviceId(device) && place.stream == stream;
        (is_here ? kept : moved).push_back(op);
      }
      const std::vector<OpId> shifted = OutOfOrder(kept, old_places);
      moved.insert(moved.end(), shifted.begin(), shifted.end());
    }
  }
  std::ranges::sort(moved);
  std::vector<OrderDifference> differences;
  for (const OpId op : moved) {
    differences.push_back(
        {.op = op, .before = old_places[op.index()], .after = new_places[op.index()]});
  }
  return differences;
}

}  // namespace

PlanDifference Compare(const sim::Plan& before, const sim::Plan& after) {
  const std::size_t num_ops = before.placement.size();
  PlanDifference difference{
      .has_other_queue = before.queue != after.queue,
      .placement = {},
      .op_priority = DifferentPriorities(before.op_priority, after.op_priority, num_ops),
      .transfer_priority = DifferentTransfers(before, after),
      .fusion_priority =
          DifferentPriorities(before.fusion_priority, after.fusion_priority, num_ops),
      .fusion_region = DifferentPriorities(before.fusion_region, after.fusion_region, num_ops),
      .order = {}};
  for (std::size_t i = 0; i < num_ops; ++i) {
    if (before.placement[i] != after.placement[i]) {
      difference.placement.push_back(
          {.op = OpId(i), .before = before.placement[i], .after = after.placement[i]});
    }
  }
  if (before.queue == sim::QueueDiscipline::kOrder && !difference.has_other_queue) {
    difference.order = DifferentOrder(before, after);
  }
  return difference;
}

}  // namespace opyard::experiments
