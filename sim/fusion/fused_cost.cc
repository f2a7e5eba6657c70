#include "sim/fusion/fused_cost.h"

#include <algorithm>

#include "sim/cost/soft_maximum.h"
#include "sim/cost/zero_cost.h"
#include "sim/fusion/internal_tensors.h"

namespace opyard::sim {
namespace {

// Measured times, where there are any, agree that it takes none.
bool IsView(const OpGraph& graph, OpId op) {
  return IsZeroCost(graph, op) &&
         std::ranges::all_of(graph.measured_times(op),
                             [](const MeasuredTime& time) { return time.seconds == 0.0; });
}

double Seconds(double bytes, const OpCost& cost) {
  return cost.bytes_per_s > 0.0 ? bytes / cost.bytes_per_s : 0.0;
}

}  // namespace

// Sums over the ops of a kernel, in topological order, so that equal kernels cost the same.
struct FusedCost::Terms {
  double flop_s = 0.0;
  double byte_s = 0.0;
  double launch_s = 0.0;   // of one launch
  double q = 1.0;          // the hardest maximum of all
  double total_s = 0.0;    // one after another
  double longest_s = 0.0;  // of one op
  double traffic_s = 0.0;  // of all `bytes_accessed`
  double saved_s = 0.0;    // of reads and writes that stay on chip
  double num_launches = 0.0;
  bool is_measured = false;
};

FusedCost::FusedCost(std::shared_ptr<const OpGraph> graph,
                     const HardwareProfile& hardware,
                     std::shared_ptr<const CostTable> costs)
    : graph_(std::move(graph)), costs_(std::move(costs)) {
  for (std::size_t op = 0; op < graph_->num_ops(); ++op) {
    is_view_.push_back(IsView(*graph_, OpId(op)) ? 1 : 0);
  }
  for (const Device& device : hardware.devices) {
    launch_s_.push_back(device.launch_overhead_s);
  }
}

SimTime FusedCost::Time(const Kernels& kernels,
                        std::span<const std::uint8_t> is_internal,
                        std::size_t kernel,
                        DeviceId device) const {
  const auto ops = kernels.ops_of(kernel);
  if (ops.size() == 1) {
    return costs_->time(graph_->topological_order()[At(ops.front())], device);
  }
  const Terms terms = TermsOf(kernels, is_internal, kernel, device);
  const double saved_s = std::clamp(terms.saved_s, 0.0, terms.traffic_s);
  if (!terms.is_measured) {
    const double byte_s = std::max(terms.byte_s - saved_s, 0.0);
    return SimTime::FromSeconds(terms.launch_s + SoftMaximum(terms.flop_s, byte_s, terms.q));
  }
  const double launches_s = (terms.num_launches - 1.0) * launch_s_[device.index()];
  return SimTime::FromSeconds(
      std::max({terms.total_s - launches_s - saved_s, terms.longest_s, terms.flop_s}));
}

FusedCost::Terms FusedCost::TermsOf(const Kernels& kernels,
                                    std::span<const std::uint8_t> is_internal,
                                    std::size_t kernel,
                                    DeviceId device) const {
  Terms terms;
  for (const std::int32_t index : kernels.ops_of(kernel)) {
    const OpId op = graph_->topological_order()[At(index)];
    if (is_view_[op.index()] != 0) {
      terms.saved_s -= MaterialisedSeconds(kernels, is_internal, op, device);
    } else {
      AddOp(op, device, terms);
      terms.saved_s += Seconds(SavedBytes(kernels, is_internal, op), costs_->cost(op, device));
    }
  }
  return terms;
}

void FusedCost::AddOp(OpId op, DeviceId device, Terms& terms) const {
  const OpCost& cost = costs_->cost(op, device);
  terms.flop_s += cost.flop_s;
  terms.byte_s += cost.byte_s;
  terms.launch_s = std::max(terms.launch_s, cost.launch_s);
  terms.q = std::max(terms.q, cost.q);
  terms.total_s += cost.total_s;
  terms.longest_s = std::max(terms.longest_s, cost.total_s);
  terms.traffic_s += Seconds(static_cast<double>(graph_->op(op).bytes_accessed.count), cost);
  terms.num_launches += 1.0;
  terms.is_measured = terms.is_measured || cost.is_measured;
}

// What `op` reads that its kernel makes, argument by argument, and what it makes that stays inside.
double FusedCost::SavedBytes(const Kernels& kernels,
                             std::span<const std::uint8_t> is_internal,
                             OpId op) const {
  const std::size_t kernel = KernelOf(kernels, op);
  double bytes = 0.0;
  for (const TensorId input : graph_->inputs(op)) {
    const OpId maker = graph_->tensor(BehindViews(kernels, kernel, input)).producer;
    if (KernelOf(kernels, maker) == kernel && is_view_[maker.index()] == 0) {
      bytes += static_cast<double>(graph_->tensor(input).bytes.count);
    }
  }
  for (std::size_t i = 0; i < graph_->num_outputs(op); ++i) {
    const TensorId output = graph_->output(op, i);
    if (is_internal[output.index()] != 0) {
      bytes += static_cast<double>(graph_->tensor(output).bytes.count);
    }
  }
  return bytes;
}

// The tensor that `tensor` is the same data as, where views in `kernel` only gave it another name.
TensorId FusedCost::BehindViews(const Kernels& kernels, std::size_t kernel, TensorId tensor) const {
  const auto is_renamed = [&](const Tensor& described) {
    return described.alias == Alias::kInput && is_view_[described.producer.index()] != 0 &&
           KernelOf(kernels, described.producer) == kernel;
  };
  while (is_renamed(graph_->tensor(tensor))) {
    tensor = graph_->tensor(tensor).aliased;
  }
  return tensor;
}

// A view of an internal tensor that leaves the kernel is written in its place.
double FusedCost::MaterialisedSeconds(const Kernels& kernels,
                                      std::span<const std::uint8_t> is_internal,
                                      OpId view,
                                      DeviceId device) const {
  double seconds = 0.0;
  for (std::size_t i = 0; i < graph_->num_outputs(view); ++i) {
    const TensorId output = graph_->output(view, i);
    const Tensor& described = graph_->tensor(output);
    const TensorId last = FollowInternalAliases(*graph_, is_internal, output);
    if (described.alias == Alias::kInput && is_internal[output.index()] == 0 &&
        graph_->tensor(last).alias == Alias::kNone) {
      const TensorId data = BehindViews(kernels, KernelOf(kernels, view), described.aliased);
      const OpId maker = graph_->tensor(data).producer;
      seconds += Seconds(static_cast<double>(described.bytes.count), costs_->cost(maker, device));
    }
  }
  return seconds;
}

}  // namespace opyard::sim
