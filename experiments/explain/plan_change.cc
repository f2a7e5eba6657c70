#include "experiments/explain/plan_change.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

namespace opyard::experiments {
namespace {

// [num_ops]: the position of each op in the order of a run.
std::vector<std::size_t> RanksIn(std::span<const OpId> start_order) {
  std::vector<std::size_t> ranks(start_order.size());
  for (std::size_t i = 0; i < start_order.size(); ++i) {
    ranks[start_order[i].index()] = i;
  }
  return ranks;
}

void MoveInStreams(const DeviceChange& change, std::span<const OpId> start_order, sim::Plan& plan) {
  const std::vector<std::size_t> ranks = RanksIn(start_order);
  for (std::vector<sim::Stream>& streams : plan.order) {
    for (sim::Stream& stream : streams) {
      std::ranges::sort(stream, {}, [&](OpId op) { return ranks[op.index()]; });
    }
  }
  for (const OpId op : change.ops) {
    for (sim::Stream& stream : plan.order[plan.placement[op.index()].index()]) {
      std::erase(stream, op);
    }
    std::vector<sim::Stream>& streams = plan.order[change.to.index()];
    streams.resize(std::max(streams.size(), std::size_t{1}));
    const auto later = std::ranges::find_if(
        streams.front(), [&](OpId other) { return ranks[other.index()] > ranks[op.index()]; });
    streams.front().insert(later, op);
  }
}

// Takes the copies of tensors that the ops of `change` make or read out of the orders of channels.
void DropCopies(const sim::OpGraph& graph, const DeviceChange& change, sim::Plan& plan) {
  const auto moves = [&](OpId op) { return std::ranges::binary_search(change.ops, op); };
  const auto is_dropped = [&](const sim::CopyId& copy) {
    return moves(graph.tensor(copy.tensor).producer) ||
           std::ranges::any_of(graph.consumers(copy.tensor), moves);
  };
  for (sim::ChannelOrder& order : plan.transfer_order) {
    std::erase_if(order.copies, is_dropped);
  }
  std::erase_if(plan.transfer_order,
                [](const sim::ChannelOrder& order) { return order.copies.empty(); });
}

void Apply(const DeviceChange& change, sim::Plan& plan) {
  for (const OpId op : change.ops) {
    plan.placement[op.index()] = change.to;
  }
}

void Apply(const PriorityChange& change, sim::Plan& plan) {
  plan.op_priority[change.op.index()] = change.to;
}

void Apply(const TransferChange& change, sim::Plan& plan) {
  for (sim::TransferPriority& given : plan.transfer_priority) {
    if (given.tensor == change.tensor && given.destination == change.destination) {
      given.priority = change.to;
    }
  }
}

void Apply(const FusionChange& change, sim::Plan& plan) {
  for (const OpId op : change.ops) {
    plan.fusion_priority[op.index()] = change.to;
  }
}

}  // namespace

sim::Plan Changed(const sim::OpGraph& graph,
                  sim::Plan plan,
                  const PlanChange& change,
                  std::span<const OpId> start_order) {
  const auto* moved = std::get_if<DeviceChange>(&change);
  if (moved != nullptr) {
    DropCopies(graph, *moved, plan);
  }
  if (moved != nullptr && plan.queue == sim::QueueDiscipline::kOrder) {
    MoveInStreams(*moved, start_order, plan);
  }
  std::visit([&plan](const auto& one) { Apply(one, plan); }, change);
  return plan;
}

}  // namespace opyard::experiments
