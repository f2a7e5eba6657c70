#include "experiments/plans/plan_figures.h"

#include <algorithm>
#include <set>

#include "sim/graph/op_graph.h"

namespace opyard::experiments {
namespace {

template <class Number>
PriorityFigures PrioritiesOf(const std::vector<Number>& priorities) {
  const std::set<Number> values(priorities.begin(), priorities.end());
  return {.ops = std::ranges::count_if(priorities, [](Number value) { return value != 0; }),
          .values = static_cast<std::int64_t>(values.size())};
}

std::vector<PlacedWork> WorkOf(const env::Problem& problem, const sim::Plan& plan) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<PlacedWork> devices;
  for (const sim::Device& device : problem.hardware().devices) {
    devices.push_back({.device = device.name, .streams = {}});
  }
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    PlacedWork& work = devices[plan.placement[i].index()];
    ++work.ops;
    work.time += problem.costs().time(OpId(i), plan.placement[i]);
    work.parameters += graph.op(OpId(i)).param_bytes;
    for (std::size_t output = 0; output < graph.num_outputs(OpId(i)); ++output) {
      const sim::Tensor& tensor = graph.tensor(graph.output(OpId(i), output));
      work.outputs += tensor.alias == sim::Alias::kNone ? tensor.bytes : Bytes();
    }
  }
  for (std::size_t d = 0; d < plan.order.size(); ++d) {
    for (const sim::Stream& stream : plan.order[d]) {
      devices[d].streams.push_back(static_cast<std::int64_t>(stream.size()));
    }
  }
  return devices;
}

std::vector<std::string> HintsOn(const env::Problem& problem,
                                 const sim::Plan& plan,
                                 const PlanFigures& figures) {
  std::vector<std::string> hints;
  if (plan.queue == sim::QueueDiscipline::kFifo) {
    hints.emplace_back("no op_priority: a device runs first what is ready first");
  }
  if (plan.queue == sim::QueueDiscipline::kProgram) {
    hints.emplace_back("queue program: each device waits for its ops in topological order");
  }
  const bool all_equal = figures.op_priority.values == 1 && problem.graph().num_ops() > 1;
  if (plan.queue == sim::QueueDiscipline::kPriority && all_equal) {
    hints.emplace_back("all op_priority are equal, which is queue fifo");
  }
  if (plan.transfer_priority.empty() && plan.queue != sim::QueueDiscipline::kPriority) {
    hints.emplace_back("no transfer_priority: copies go in the order in which they are offered");
  }
  if (figures.fusion_priority.ops == 0 && !problem.default_fusion_priority().empty()) {
    hints.emplace_back("no fusion_priority: nothing is fused");
  }
  std::vector<std::string> idle;
  for (const DeviceId device : problem.devices()) {
    const bool is_accelerator =
        problem.hardware().devices[device.index()].kind != sim::DeviceKind::kCpu;
    if (is_accelerator && figures.devices[device.index()].ops == 0) {
      idle.push_back(figures.devices[device.index()].device);
    }
  }
  if (!idle.empty()) {
    hints.push_back("no op is on " + JoinNames(idle));
  }
  return hints;
}

}  // namespace

PlanFigures FiguresOf(const env::Problem& problem,
                      const sim::Plan& plan,
                      const sim::SimReport& report) {
  const std::set kernels(report.groups.begin(), report.groups.end());
  PlanFigures figures{
      .devices = WorkOf(problem, plan),
      .kernels = static_cast<std::int64_t>(kernels.size()),
      .op_priority = PrioritiesOf(plan.op_priority),
      .fusion_priority = PrioritiesOf(plan.fusion_priority),
      .transfer_priorities = static_cast<std::int64_t>(plan.transfer_priority.size()),
      .hints = {}};
  figures.hints = HintsOn(problem, plan, figures);
  return figures;
}

}  // namespace opyard::experiments
