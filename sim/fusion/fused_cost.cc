#include "sim/fusion/fused_cost.h"

#include <algorithm>

#include "sim/cost/soft_maximum.h"
#include "sim/cost/zero_cost.h"

namespace opyard::sim {
namespace {

std::vector<std::uint8_t> ZeroCostOps(const OpGraph& graph) {
  std::vector<std::uint8_t> is_zero_cost;
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    is_zero_cost.push_back(IsZeroCost(graph, OpId(op)) ? 1 : 0);
  }
  return is_zero_cost;
}

double Seconds(Bytes bytes, const OpCost& cost) {
  return cost.bytes_per_s > 0.0 ? static_cast<double>(bytes.count) / cost.bytes_per_s : 0.0;
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
  double moved_bytes = 0.0;
  double saved_bytes = 0.0;
  bool is_measured = false;
};

FusedCost::FusedCost(std::shared_ptr<const OpGraph> graph,
                     const HardwareProfile& hardware,
                     std::shared_ptr<const CostTable> costs,
                     double saving)
    : graph_(std::move(graph)),
      costs_(std::move(costs)),
      is_zero_cost_(ZeroCostOps(*graph_)),
      names_(*graph_, is_zero_cost_),
      saving_(saving) {
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
  const double fused_s = SecondsOf(terms, device);
  // Not as one formula: a whole saving is to leave each bit as the model has it.
  return SimTime::FromSeconds(saving_ == 1.0 ? fused_s
                                             : terms.total_s - saving_ * (terms.total_s - fused_s));
}

KernelTraffic FusedCost::Traffic(const Kernels& kernels,
                                 std::span<const std::uint8_t> is_internal,
                                 std::size_t kernel,
                                 DeviceId device) const {
  const Terms terms = TermsOf(kernels, is_internal, kernel, device);
  const double saved = saving_ * std::clamp(terms.saved_bytes, 0.0, terms.moved_bytes);
  return {.launch_s = terms.launch_s, .bytes = terms.moved_bytes - saved};
}

double FusedCost::SecondsOf(const Terms& terms, DeviceId device) const {
  const double saved_s = std::clamp(terms.saved_s, 0.0, terms.traffic_s);
  if (!terms.is_measured) {
    const double byte_s = std::max(terms.byte_s - saved_s, 0.0);
    return terms.launch_s + SoftMaximum(terms.flop_s, byte_s, terms.q);
  }
  const double launches_s = (terms.num_launches - 1.0) * launch_s_[device.index()];
  return std::max({terms.total_s - launches_s - saved_s, terms.longest_s, terms.flop_s});
}

FusedCost::Terms FusedCost::TermsOf(const Kernels& kernels,
                                    std::span<const std::uint8_t> is_internal,
                                    std::size_t kernel,
                                    DeviceId device) const {
  Terms terms;
  for (const std::int32_t index : kernels.ops_of(kernel)) {
    const OpId op = graph_->topological_order()[At(index)];
    if (!IsView(op, device)) {
      AddOp(op, device, terms);
      const Bytes saved = SavedBytes(kernels, is_internal, op, device);
      terms.saved_s += Seconds(saved, costs_->cost(op, device));
      terms.saved_bytes += static_cast<double>(saved.count);
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
  terms.traffic_s += Seconds(graph_->op(op).bytes_accessed, cost);
  terms.num_launches += 1.0;
  terms.moved_bytes += BytesMoved(graph_->op(op), cost);
  terms.is_measured = terms.is_measured || cost.is_measured;
}

// The bytes that fusing saves at `op`: what it reads that its kernel makes, argument by argument,
// and what it makes that stays inside, under whatever name.
Bytes FusedCost::SavedBytes(const Kernels& kernels,
                            std::span<const std::uint8_t> is_internal,
                            OpId op,
                            DeviceId device) const {
  const std::size_t kernel = KernelOf(kernels, op);
  Bytes bytes;
  for (const TensorId input : graph_->inputs(op)) {
    const OpId maker = graph_->tensor(BehindViews(kernels, kernel, input, device)).producer;
    if (KernelOf(kernels, maker) == kernel && !IsView(maker, device)) {
      bytes += graph_->tensor(input).bytes;
    }
  }
  for (std::size_t i = 0; i < graph_->num_outputs(op); ++i) {
    const TensorId output = graph_->output(op, i);
    if (is_internal[output.index()] != 0) {
      const Bytes made = graph_->tensor(output).bytes;
      bytes += made - std::min(made, BytesShownBy(output, is_internal, device));
    }
  }
  return bytes;
}

// The bytes that views of `tensor`, which is internal, show outside of its kernel. A view of a view
// that leaves the kernel shows nothing more.
Bytes FusedCost::BytesShownBy(TensorId tensor,
                              std::span<const std::uint8_t> is_internal,
                              DeviceId device) const {
  const std::span<const TensorId> names = names_.names_of(tensor);
  Bytes bytes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Tensor& described = graph_->tensor(names[i]);
    const bool is_shown = IsView(described.producer, device);
    if (is_shown && is_internal[names[i].index()] != 0) {
      continue;  // its own names may leave
    }
    bytes += is_shown ? described.bytes : Bytes{};
    i += names_.names_of(names[i]).size();
  }
  return bytes;
}

// The tensor that `tensor` is the same data as, where views in `kernel` only gave it another name.
TensorId FusedCost::BehindViews(const Kernels& kernels,
                                std::size_t kernel,
                                TensorId tensor,
                                DeviceId device) const {
  const auto is_renamed = [&](const Tensor& described) {
    return described.alias == Alias::kInput && KernelOf(kernels, described.producer) == kernel &&
           IsView(described.producer, device);
  };
  while (is_renamed(graph_->tensor(tensor))) {
    tensor = graph_->tensor(tensor).aliased;
  }
  return tensor;
}

}  // namespace opyard::sim
