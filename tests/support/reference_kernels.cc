#include "tests/support/reference_kernels.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/cost/soft_maximum.h"
#include "sim/cost/zero_cost.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_fuser.h"

namespace opyard::testing {

ReferenceKernels::ReferenceKernels(const sim::OpGraph& graph,
                                   const sim::HardwareProfile& hardware,
                                   const sim::CostTable& costs,
                                   const sim::Plan& plan)
    : graph_(graph), hardware_(hardware), costs_(costs), plan_(plan), of_op_(graph.num_ops()) {
  const std::vector<std::int32_t> indices = TopologicalIndices(graph);
  const std::vector<std::int32_t> nobody(graph.num_ops(), 0);
  const bool fuses = !plan.fusion_priority.empty();
  std::vector<std::vector<OpId>> in_order;
  for (const OpSet& ops :
       FuseSlowly(graph, hardware.fusion, plan.placement, fuses ? plan.fusion_priority : nobody)) {
    in_order.emplace_back(ops.begin(), ops.end());
    std::ranges::sort(in_order.back(), {}, [&](OpId op) { return indices[op.index()]; });
    for (const OpId op : ops) {
      of_op_[op.index()] = in_order.size() - 1;
    }
  }
  for (const std::vector<OpId>& ops : in_order) {
    kernels_.push_back(Describe(ops));
  }
}

ReferenceKernel ReferenceKernels::Describe(const std::vector<OpId>& ops) const {
  ReferenceKernel kernel{.ops = ops,
                         .device = plan_.placement[ops.front().index()],
                         .name = graph_.op(ops.front()).name};
  kernel.duration = Duration(ops, kernel.device);
  if (ops.size() > 1) {
    kernel.name += " (fused with " + std::to_string(ops.size() - 1) + " more)";
  }
  if (plan_.queue == sim::QueueDiscipline::kPriority && !plan_.op_priority.empty()) {
    std::set<std::int64_t> priorities;
    for (const OpId op : ops) {
      priorities.insert(plan_.op_priority[op.index()]);
    }
    kernel.priority = *priorities.rbegin();
  }
  return kernel;
}

bool ReferenceKernels::StaysInside(TensorId tensor) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  const auto readers = graph_.consumers(tensor);
  return !made.keep && !readers.empty() &&
         std::ranges::all_of(readers, [&](OpId reader) { return Of(reader) == Of(made.producer); });
}

bool ReferenceKernels::IsView(OpId op) const {
  double measured = 0.0;
  for (const sim::MeasuredTime& time : graph_.measured_times(op)) {
    measured += time.seconds;
  }
  return sim::IsZeroCost(graph_, op) && measured == 0.0;
}

// What `tensor` is, once the views of `kernel` are looked through.
TensorId ReferenceKernels::Shown(TensorId tensor, std::size_t kernel) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  const bool is_view_output = Of(made.producer) == kernel && IsView(made.producer);
  return is_view_output && made.alias == sim::Alias::kInput ? Shown(made.aliased, kernel) : tensor;
}

double ReferenceKernels::SecondsFor(TensorId tensor, OpId mover, DeviceId device) const {
  const double rate = costs_.cost(mover, device).bytes_per_s;
  return static_cast<double>(graph_.tensor(tensor).bytes.count) / rate;
}

// The time of what `op` neither reads nor writes, since it is on chip.
double ReferenceKernels::SecondsOnChip(OpId op, DeviceId device) const {
  double seconds = 0.0;
  for (const TensorId input : graph_.inputs(op)) {
    const OpId maker = graph_.tensor(Shown(input, Of(op))).producer;
    seconds += Of(maker) == Of(op) && !IsView(maker) ? SecondsFor(input, op, device) : 0.0;
  }
  for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
    const TensorId output = graph_.output(op, i);
    seconds += StaysInside(output) ? SecondsFor(output, op, device) : 0.0;
  }
  return seconds;
}

// The time to write what `view` shows the outside of tensors that stay inside.
double ReferenceKernels::SecondsToShow(OpId view, DeviceId device) const {
  double seconds = 0.0;
  for (std::size_t i = 0; i < graph_.num_outputs(view); ++i) {
    const TensorId output = graph_.output(view, i);
    TensorId last = output;
    while (graph_.tensor(last).alias == sim::Alias::kInput &&
           StaysInside(graph_.tensor(last).aliased)) {
      last = graph_.tensor(last).aliased;
    }
    if (!StaysInside(output) && last != output && graph_.tensor(last).alias == sim::Alias::kNone) {
      const TensorId data = Shown(graph_.tensor(output).aliased, Of(view));
      const OpId maker = graph_.tensor(data).producer;
      seconds += IsView(maker) ? 0.0 : SecondsFor(output, maker, device);
    }
  }
  return seconds;
}

SimTime ReferenceKernels::Duration(const std::vector<OpId>& ops, DeviceId device) const {
  if (ops.size() == 1) {
    return costs_.time(ops.front(), device);
  }
  std::vector<OpId> working = ops;
  double saved = 0.0;
  for (const OpId op : ops) {
    saved += IsView(op) ? -SecondsToShow(op, device) : SecondsOnChip(op, device);
  }
  std::erase_if(working, [&](OpId op) { return IsView(op); });
  const auto sum = [&](auto&& value) {
    double total = 0.0;
    for (const OpId op : working) {
      total += value(op, costs_.cost(op, device));
    }
    return total;
  };
  const auto greatest = [&](auto&& value) {
    double most = 0.0;
    for (const OpId op : working) {
      most = std::max(most, value(costs_.cost(op, device)));
    }
    return most;
  };
  const double traffic = sum([&](OpId op, const sim::OpCost& cost) {
    return static_cast<double>(graph_.op(op).bytes_accessed.count) / cost.bytes_per_s;
  });
  saved = std::min(std::max(saved, 0.0), traffic);
  const double flops = sum([](OpId, const sim::OpCost& cost) { return cost.flop_s; });
  if (std::ranges::any_of(working, [&](OpId op) { return costs_.cost(op, device).is_measured; })) {
    const double launches = static_cast<double>(working.size() - 1) *
                            hardware_.devices[device.index()].launch_overhead_s;
    const double all = sum([](OpId, const sim::OpCost& cost) { return cost.total_s; });
    const double longest = greatest([](const sim::OpCost& cost) { return cost.total_s; });
    return SimTime::FromSeconds(std::max({all - launches - saved, longest, flops}));
  }
  const double bytes = sum([](OpId, const sim::OpCost& cost) { return cost.byte_s; });
  const double q = greatest([](const sim::OpCost& cost) { return cost.q; });
  const double launch = greatest([](const sim::OpCost& cost) { return cost.launch_s; });
  return SimTime::FromSeconds(
      launch + (working.empty() ? 0.0 : sim::SoftMaximum(flops, std::max(bytes - saved, 0.0), q)));
}

}  // namespace opyard::testing
