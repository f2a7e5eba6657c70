#include "env/plan_queue.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sim/analysis/order_of_run.h"
#include "sim/base/array_index.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::env {
namespace {

// Highest priority first, then least topological index.
using ReadyOp = std::pair<std::int64_t, std::int32_t>;  // −priority, topological index

class ListOrder {
 public:
  ListOrder(const sim::OpGraph& graph, std::span<const std::int64_t> priority)
      : graph_(graph), priority_(priority), num_awaited_(graph.num_ops()) {}

  [[nodiscard]] std::vector<OpId> Find() {
    std::vector<OpId> order;
    order.reserve(graph_.num_ops());
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      const OpId op(i);
      num_awaited_[i] = graph_.inputs(op).size() + graph_.control_inputs(op).size();
      AddIfReady(op);
    }
    while (!ready_.empty()) {
      const OpId op = graph_.topological_order()[At(ready_.top().second)];
      ready_.pop();
      order.push_back(op);
      ReleaseReaders(op);
    }
    return order;
  }

 private:
  void AddIfReady(OpId op) {
    if (num_awaited_[op.index()] == 0) {
      ready_.push({-priority_[op.index()], graph_.topological_index(op)});
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
  std::span<const std::int64_t> priority_;  // by op
  std::vector<std::size_t> num_awaited_;    // by op: inputs and control inputs
  std::priority_queue<ReadyOp, std::vector<ReadyOp>, std::greater<>> ready_;
};

bool HasPriorities(const sim::Plan& plan) {
  return plan.queue == sim::QueueDiscipline::kPriority && !plan.op_priority.empty();
}

// False where the plan is not legal, which the simulator says.
bool HasListOrder(const Problem& problem, const sim::Plan& plan) {
  const std::size_t num_ops = problem.graph().num_ops();
  return HasPriorities(plan) && plan.op_priority.size() == num_ops &&
         plan.placement.size() == num_ops &&
         std::ranges::all_of(plan.placement, [&](DeviceId device) {
           return device.index() < problem.hardware().num_devices();  // a negative one is greater
         });
}

// False where a kernel of `plan` may hold ops of two modules, and the problem asks for none such.
bool KeepsRegions(const Problem& problem, const sim::Plan& plan) {
  return problem.fusion_region().empty() || plan.fusion_priority.empty() ||
         plan.fusion_region == problem.fusion_region();
}

// `plan` in queue kProgram.
sim::Plan AsProgram(const sim::Plan& plan) {
  sim::Plan program = plan;
  program.queue = sim::QueueDiscipline::kProgram;
  program.op_priority.clear();
  program.order.clear();
  return program;
}

sim::Plan InListOrder(const Problem& problem, const sim::Plan& plan) {
  sim::Plan listed = AsProgram(plan);
  if (HasListOrder(problem, plan)) {
    listed.queue = sim::QueueDiscipline::kOrder;
    listed.order.assign(problem.hardware().num_devices(), std::vector<sim::Stream>(1));
    for (const OpId op : ListOrderOf(problem.graph(), plan.op_priority)) {
      listed.order[plan.placement[op.index()].index()].front().push_back(op);
    }
  }
  return listed;
}

// True if the queue of `plan` says what the problem asks for.
bool RunsInItsQueue(const Problem& problem, const sim::Plan& plan) {
  return !AsksForStreams(problem) ||
         (AsksForOrder(problem) && sim::CanRepeatRun(problem.hardware(), plan));
}

}  // namespace

bool AsksForOrder(const Problem& problem) {
  return problem.settings().default_queue == sim::QueueDiscipline::kOrder &&
         problem.tasks().scheduling;
}

std::vector<OpId> ListOrderOf(const sim::OpGraph& graph, std::span<const std::int64_t> priority) {
  return ListOrder(graph, priority).Find();
}

bool AsksForStreams(const Problem& problem) {
  return sim::HasStreams(problem.settings().default_queue);
}

bool IsAsAsked(const Problem& problem, const sim::Plan& plan) {
  return KeepsRegions(problem, plan) &&
         (problem.contiguity() == nullptr || problem.contiguity()->Holds(plan.placement));
}

sim::Plan AsAsked(const Problem& problem, const sim::Plan& plan) {
  sim::Plan asked = plan;
  if (!KeepsRegions(problem, plan)) {
    asked.fusion_region = problem.fusion_region();
  }
  if (problem.contiguity() != nullptr && !problem.contiguity()->Holds(plan.placement)) {
    asked.placement = problem.contiguity()->Nearest(plan.placement);
    asked.queue = sim::HasStreams(plan.queue) ? sim::QueueDiscipline::kProgram : plan.queue;
    asked.order.clear();
    asked.transfer_order.clear();
  }
  return asked;
}

bool RunsAsGiven(const Problem& problem, const sim::Plan& plan) {
  return IsAsAsked(problem, plan) && RunsInItsQueue(problem, plan);
}

sim::Plan InQueueOf(const Problem& problem, const sim::Plan& plan) {
  sim::Plan asked = AsAsked(problem, plan);
  if (RunsInItsQueue(problem, asked)) {
    return asked;
  }
  return AsksForOrder(problem) ? InListOrder(problem, asked) : AsProgram(asked);
}

sim::Plan InStreamsOf(const Problem& problem, const sim::Plan& plan) {
  sim::Plan simulated = InQueueOf(problem, plan);
  if (!AsksForOrder(problem) || sim::HasStreams(simulated.queue)) {
    return simulated;
  }
  sim::Workspace workspace;
  const sim::SimReport report = problem.simulator().RunReport(simulated, workspace);
  return report.result.outcome == sim::Outcome::kCompleted
             ? sim::OrderOfRun(problem.hardware(), simulated, report)
             : InListOrder(problem, simulated);
}

}  // namespace opyard::env
