#include "tests/support/reference_kernels.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/cost/measured.h"
#include "sim/cost/soft_maximum.h"
#include "sim/cost/zero_cost.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_fuser.h"
#include "tests/support/reference_streams.h"

namespace opyard::testing {

ReferenceKernels::ReferenceKernels(const sim::OpGraph& graph,
                                   const sim::HardwareProfile& hardware,
                                   const sim::CostTable& costs,
                                   const sim::Plan& plan)
    : graph_(graph), hardware_(hardware), costs_(costs), plan_(plan), of_op_(graph.num_ops()) {
  const std::vector<std::int32_t> indices = TopologicalIndices(graph);
  const std::vector<std::int32_t> no_priorities(graph.num_ops(), 0);
  const bool fuses = !plan.fusion_priority.empty();
  std::vector<std::vector<OpId>> in_order;
  std::vector<OpSet> fused = FuseSlowly(graph,
                                        hardware.fusion,
                                        plan.placement,
                                        fuses ? plan.fusion_priority : no_priorities,
                                        plan.fusion_region);
  if (sim::HasStreams(plan.queue)) {
    fused = TakeApart(graph, plan, std::move(fused));
  }
  for (const OpSet& ops : fused) {
    in_order.emplace_back(ops.begin(), ops.end());
    std::ranges::sort(in_order.back(), {}, [&](OpId op) { return indices[op.index()]; });
    for (const OpId op : ops) {
      of_op_[op.index()] = in_order.size() - 1;
    }
  }
  for (const std::vector<OpId>& ops : in_order) {
    kernels_.push_back(Describe(ops));
    AddBody(kernels_.back());
  }
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    AddCopiesOf(TensorId(i), indices);
  }
}

// What the copies of `tensor` take from ops: from the kernel that makes it and, on each device that
// gets one, from the kernel of the first op that reads it. With a copy per edge, from every reader.
// `indices` are those of ops in topological order.
void ReferenceKernels::AddCopiesOf(TensorId tensor, const std::vector<std::int32_t>& indices) {
  const std::size_t maker = Of(graph_.tensor(tensor).producer);
  const sim::OnePer one_per = hardware_.transfers.one_per;
  std::set<std::int32_t> served;
  std::int64_t num_sent = 0;
  std::vector<OpId> readers(graph_.consumers(tensor).begin(), graph_.consumers(tensor).end());
  std::ranges::sort(readers, {}, [&](OpId op) { return indices[op.index()]; });
  for (const OpId reader : readers) {
    ReferenceKernel& kernel = kernels_[Of(reader)];
    if (kernel.device == kernels_[maker].device) {
      continue;
    }
    std::int64_t copies = served.insert(kernel.device.value).second ? 1 : 0;
    if (one_per == sim::OnePer::kEdge) {
      copies = std::ranges::count(graph_.inputs(reader), tensor);
    }
    kernel.duration += SimTime{copies * CopyTime(tensor, kernel.device).picoseconds};
    num_sent += copies;
  }
  if (one_per == sim::OnePer::kOutput) {
    num_sent = std::min<std::int64_t>(num_sent, 1);
  }
  kernels_[maker].duration +=
      SimTime{num_sent * CopyTime(tensor, kernels_[maker].device).picoseconds};
}

SimTime ReferenceKernels::CopyTime(TensorId tensor, DeviceId device) const {
  const sim::Device& where = hardware_.devices[device.index()];
  const double bytes = static_cast<double>(graph_.tensor(tensor).bytes.count);
  const double per_byte =
      where.copy_bandwidth_bytes_per_s > 0.0 ? 1.0 / where.copy_bandwidth_bytes_per_s : 0.0;
  return SimTime::FromSeconds(where.copy_overhead_s + per_byte * bytes);
}

ReferenceKernel ReferenceKernels::Describe(const std::vector<OpId>& ops) const {
  ReferenceKernel kernel{.ops = ops,
                         .device = plan_.placement[ops.front().index()],
                         .name = graph_.op(ops.front()).name};
  kernel.duration = Duration(ops, kernel.device);
  for (const OpId op : ops) {
    kernel.release = std::max(kernel.release, graph_.op(op).release);
  }
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

// After the launch the rest of a kernel moves its bytes, evenly; no faster than the pool could.
void ReferenceKernels::AddBody(ReferenceKernel& kernel) const {
  const std::int32_t pool = hardware_.devices[kernel.device.index()].memory_pool;
  const double bytes = BytesOf(kernel.ops, kernel.device);
  if (pool < 0 || bytes <= 0.0) {
    return;
  }
  double launch = 0.0;
  for (const OpId op : kernel.ops) {
    launch =
        std::max(launch, IsView(op, kernel.device) ? 0.0 : costs_.cost(op, kernel.device).launch_s);
  }
  const SimTime launched = SimTime::FromSeconds(launch);
  kernel.body = std::max(kernel.duration - launched, SimTime{});
  if (kernel.body > SimTime{}) {
    const auto index = static_cast<std::size_t>(pool);
    kernel.demand = std::min(bytes / kernel.body.seconds(),
                             hardware_.memory_pools[index].bandwidth_bytes_per_s);
  }
}

// What all ops move, but for what fusing keeps on chip.
double ReferenceKernels::BytesOf(const std::vector<OpId>& ops, DeviceId device) const {
  double moved = 0.0;
  double saved = ops.size() > 1 ? -BytesToShow(ops, device) : 0.0;
  for (const OpId op : ops) {
    if (IsView(op, device)) {
      continue;
    }
    const sim::OpCost& cost = costs_.cost(op, device);
    moved += Measured(op, device).has_value()
                 ? static_cast<double>(graph_.op(op).bytes_accessed.count)
                 : cost.byte_s * cost.bytes_per_s;
    saved += ops.size() > 1 ? BytesOnChip(op, device) : 0.0;
  }
  return moved - std::min(std::max(saved, 0.0), moved);
}

// The bytes that `op` neither reads nor writes, since they are on chip.
double ReferenceKernels::BytesOnChip(OpId op, DeviceId device) const {
  const auto bytes_of = [&](TensorId tensor) {
    return static_cast<double>(graph_.tensor(tensor).bytes.count);
  };
  double bytes = 0.0;
  for (const TensorId input : graph_.inputs(op)) {
    const OpId maker = graph_.tensor(Shown(input, Of(op), device)).producer;
    bytes += Of(maker) == Of(op) && !IsView(maker, device) ? bytes_of(input) : 0.0;
  }
  for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
    const TensorId output = graph_.output(op, i);
    bytes += StaysInside(output) ? bytes_of(output) : 0.0;
  }
  return bytes;
}

// The bytes that stay inside under their own name, but leave under names that views give them.
double ReferenceKernels::BytesToShow(const std::vector<OpId>& ops, DeviceId device) const {
  double bytes = 0.0;
  for (const auto& [tensor, shown] : ShownBytes(ops, device)) {
    bytes += static_cast<double>(std::min(shown, graph_.tensor(tensor).bytes).count);
  }
  return bytes;
}

bool ReferenceKernels::StaysInside(TensorId tensor) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  const auto readers = graph_.consumers(tensor);
  return !made.keep && !readers.empty() &&
         std::ranges::all_of(readers, [&](OpId reader) { return Of(reader) == Of(made.producer); });
}

bool ReferenceKernels::HasStorage(TensorId tensor) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  const bool names_hidden = made.alias == sim::Alias::kInput && StaysInside(made.aliased);
  return names_hidden ? HasStorage(made.aliased) : made.alias == sim::Alias::kNone;
}

std::optional<double> ReferenceKernels::Measured(OpId op, DeviceId device) const {
  return sim::FindMeasuredSeconds(graph_, op, hardware_.devices[device.index()]);
}

// An op that only renames is a view where it is not measured to take time.
bool ReferenceKernels::IsView(OpId op, DeviceId device) const {
  const std::optional<double> measured = Measured(op, device);
  return sim::IsZeroCost(graph_, op) && (!measured.has_value() || *measured == 0.0);
}

// The time of `op` as a kernel of its own.
double ReferenceKernels::SecondsAlone(OpId op, DeviceId device) const {
  const std::optional<double> measured = Measured(op, device);
  if (IsView(op, device)) {
    return 0.0;
  }
  if (!measured.has_value()) {
    return costs_.cost(op, device).total_s;
  }
  const bool lacks_launch = graph_.measured() == sim::Measured::kKernel;
  return *measured + (lacks_launch ? hardware_.devices[device.index()].launch_overhead_s : 0.0);
}

// The tensor whose data `tensor` shows, once the views of `kernel` are resolved.
TensorId ReferenceKernels::Shown(TensorId tensor, std::size_t kernel, DeviceId device) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  const bool is_view_output = Of(made.producer) == kernel && IsView(made.producer, device);
  return is_view_output && made.alias == sim::Alias::kInput ? Shown(made.aliased, kernel, device)
                                                            : tensor;
}

double ReferenceKernels::SecondsFor(TensorId tensor, OpId mover, DeviceId device) const {
  const double rate = costs_.cost(mover, device).bytes_per_s;
  return static_cast<double>(graph_.tensor(tensor).bytes.count) / rate;
}

// The time of what `op` neither reads nor writes, since it is on chip.
double ReferenceKernels::SecondsOnChip(OpId op, DeviceId device) const {
  double seconds = 0.0;
  for (const TensorId input : graph_.inputs(op)) {
    const OpId maker = graph_.tensor(Shown(input, Of(op), device)).producer;
    seconds += Of(maker) == Of(op) && !IsView(maker, device) ? SecondsFor(input, op, device) : 0.0;
  }
  for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
    const TensorId output = graph_.output(op, i);
    seconds += StaysInside(output) ? SecondsFor(output, op, device) : 0.0;
  }
  return seconds;
}

// The tensor, made in the kernel and staying inside, whose data the view output `name` shows.
std::optional<TensorId> ReferenceKernels::HiddenBehind(TensorId name, DeviceId device) const {
  const sim::Tensor& named = graph_.tensor(name);
  if (named.alias != sim::Alias::kInput || !IsView(named.producer, device) ||
      !StaysInside(named.aliased)) {
    return std::nullopt;
  }
  const OpId maker = graph_.tensor(named.aliased).producer;
  return IsView(maker, device) ? HiddenBehind(named.aliased, device) : std::optional(named.aliased);
}

// The bytes of what stays inside under its own name, but leaves under names that views of `ops`
// give it.
std::map<TensorId, Bytes> ReferenceKernels::ShownBytes(const std::vector<OpId>& ops,
                                                       DeviceId device) const {
  std::map<TensorId, Bytes> shown;
  for (const OpId op : ops) {
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      const TensorId name = graph_.output(op, i);
      const std::optional<TensorId> data = HiddenBehind(name, device);
      if (data.has_value() && !StaysInside(name)) {
        shown[*data] += graph_.tensor(name).bytes;
      }
    }
  }
  return shown;
}

// The time to write them: the bytes of each tensor once at most.
double ReferenceKernels::SecondsToShow(const std::vector<OpId>& ops, DeviceId device) const {
  double seconds = 0.0;
  for (const auto& [tensor, bytes] : ShownBytes(ops, device)) {
    const sim::Tensor& made = graph_.tensor(tensor);
    const double rate = costs_.cost(made.producer, device).bytes_per_s;
    seconds += static_cast<double>(std::min(bytes, made.bytes).count) / rate;
  }
  return seconds;
}

SimTime ReferenceKernels::Duration(const std::vector<OpId>& ops, DeviceId device) const {
  if (ops.size() == 1) {
    return SimTime::FromSeconds(SecondsAlone(ops.front(), device));
  }
  std::vector<OpId> working = ops;
  std::erase_if(working, [&](OpId op) { return IsView(op, device); });
  const auto sum = [&](auto&& value) {
    double total = 0.0;
    for (const OpId op : working) {
      total += value(op, costs_.cost(op, device));
    }
    return total;
  };
  double saved = -SecondsToShow(ops, device);
  for (const OpId op : working) {
    saved += SecondsOnChip(op, device);
  }
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
  if (std::ranges::any_of(working, [&](OpId op) { return Measured(op, device).has_value(); })) {
    const double launches = static_cast<double>(working.size() - 1) *
                            hardware_.devices[device.index()].launch_overhead_s;
    double all = 0.0;
    double longest = 0.0;
    for (const OpId op : working) {
      all += SecondsAlone(op, device);
      longest = std::max(longest, SecondsAlone(op, device));
    }
    return SimTime::FromSeconds(std::max({all - launches - saved, longest, flops}));
  }
  const double bytes = sum([](OpId, const sim::OpCost& cost) { return cost.byte_s; });
  const double q = greatest([](const sim::OpCost& cost) { return cost.q; });
  const double launch = greatest([](const sim::OpCost& cost) { return cost.launch_s; });
  return SimTime::FromSeconds(
      launch + (working.empty() ? 0.0 : sim::SoftMaximum(flops, std::max(bytes - saved, 0.0), q)));
}

}  // namespace opyard::testing
