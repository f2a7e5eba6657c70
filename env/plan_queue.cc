#include "env/plan_queue.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/base/array_index.h"

namespace opyard::env {
namespace {

// Highest priority first, then least topological index.
using ReadyOp = std::pair<std::int64_t, std::int32_t>;  // −priority, topological index

class ListOrder {
 public:
  ListOrder(const Problem& problem, const sim::Plan& plan)
      : graph_(problem.graph()), plan_(plan), num_awaited_(graph_.num_ops()) {}

  // The streams of the devices, one each.
  [[nodiscard]] std::vector<std::vector<sim::Stream>> Streams(std::size_t num_devices) {
    std::vector<std::vector<sim::Stream>> order(num_devices, std::vector<sim::Stream>(1));
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      const OpId op(i);
      num_awaited_[i] = graph_.inputs(op).size() + graph_.control_inputs(op).size();
      AddIfReady(op);
    }
    while (!ready_.empty()) {
      const OpId op = graph_.topological_order()[At(ready_.top().second)];
      ready_.pop();
      order[plan_.placement[op.index()].index()].front().push_back(op);
      ReleaseReaders(op);
    }
    return order;
  }

 private:
  void AddIfReady(OpId op) {
    if (num_awaited_[op.index()] == 0) {
      ready_.push({-plan_.op_priority[op.index()], graph_.topological_index(op)});
    }
  }

  void ReleaseReaders(OpId op) {
    for (std::size_t o = 0; o < graph_.num_outputs(op); ++o) {
      const TensorId tensor = graph_.output(op, o);
      for (const OpId reader : graph_.consumers(tensor)) {
        for (const TensorId input : graph_.inputs(reader)) {
          num_awaited_[reader.index()] -= input == tensor ? 1 : 0;
        }
        AddIfReady(reader);
      }
    }
    for (const OpId follower : graph_.control_consumers(op)) {
      --num_awaited_[follower.index()];
      AddIfReady(follower);
    }
  }

  const sim::OpGraph& graph_;
  const sim::Plan& plan_;
  std::vector<std::size_t> num_awaited_;  // by op: inputs and control inputs
  std::priority_queue<ReadyOp, std::vector<ReadyOp>, std::greater<>> ready_;
};

bool HasUsablePriorities(const Problem& problem, const sim::Plan& plan) {
  const std::size_t num_ops = problem.graph().num_ops();
  return problem.tasks().scheduling && plan.queue == sim::QueueDiscipline::kPriority &&
         plan.op_priority.size() == num_ops && plan.placement.size() == num_ops &&
         std::ranges::all_of(plan.placement, [&](DeviceId device) {
           return device.index() < problem.hardware().num_devices();  // a negative one is greater
         });
}

}  // namespace

bool AsksForStreams(const Problem& problem) {
  return sim::HasStreams(problem.settings().default_queue);
}

sim::Plan InQueueOf(const Problem& problem, const sim::Plan& plan) {
  const bool keeps_order =
      problem.settings().default_queue == sim::QueueDiscipline::kOrder && !plan.order.empty();
  if (!AsksForStreams(problem) || keeps_order) {
    return plan;
  }
  sim::Plan queued = plan;
  queued.queue = sim::QueueDiscipline::kProgram;
  queued.op_priority.clear();
  queued.order.clear();
  if (problem.settings().default_queue == sim::QueueDiscipline::kOrder &&
      HasUsablePriorities(problem, plan)) {
    queued.queue = sim::QueueDiscipline::kOrder;
    queued.order = ListOrder(problem, plan).Streams(problem.hardware().num_devices());
  }
  return queued;
}

}  // namespace opyard::env
