#include "sim/analysis/timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/analysis/tensor_copies.h"
#include "sim/analysis/tensor_readers.h"
#include "sim/base/array_index.h"
#include "sim/base/check.h"
#include "sim/hardware/channel_map.h"
#include "sim/plan/streams.h"

namespace opyard::sim {
namespace {

std::int32_t IndexOf(std::size_t size) {
  return static_cast<std::int32_t>(size);
}

template <class Element>
std::span<const Element> Range(const std::vector<Element>& all,
                               std::int32_t first,
                               std::int32_t end) {
  return std::span(all).subspan(static_cast<std::size_t>(first),
                                static_cast<std::size_t>(end - first));
}

// Fills a Timeline part by part, in dependency order.
class TimelineBuilder {
 public:
  explicit TimelineBuilder(const SimulatedStep& step)
      : step_(step),
        graph_(step.graph),
        hardware_(step.hardware),
        readers_(step.graph, step.hardware.rules),
        is_regal_(step.hardware.rules == Rules::kRegal) {}

  Timeline Build() {
    timeline_.outcome = step_.report.result.outcome;
    timeline_.end = step_.report.result.makespan;
    timeline_.channels_are_exclusive =
        hardware_.transfers.sharing == Sharing::kSerial && !is_regal_;
    GroupOps();
    AddKernels();
    if (HasStreams(step_.plan.queue)) {
      AddStreams();
    }
    AddTransfers();
    AddChannelOrders();
    copies_ = FindCopies(step_, timeline_, readers_);
    AddArrivals();
    return std::move(timeline_);
  }

 private:
  // Ops of one group stand together, in topological order; groups are in order of their first op.
  void GroupOps() {
    Timeline& t = timeline_;
    std::vector<OpId> ops(graph_.topological_order().begin(), graph_.topological_order().end());
    std::ranges::stable_sort(ops, {}, [this](OpId op) { return GroupOf(op); });
    t.kernel_of.resize(graph_.num_ops());
    for (const OpId op : ops) {
      if (t.kernels.empty() || t.kernels.back().group != GroupOf(op)) {
        t.kernels.push_back({.group = GroupOf(op),
                             .first_op = IndexOf(t.kernel_ops.size()),
                             .device = step_.plan.placement[op.index()]});
      }
      t.kernel_of[op.index()] = IndexOf(t.kernels.size()) - 1;
      t.kernel_ops.push_back(op);
    }
  }

  [[nodiscard]] std::int32_t GroupOf(OpId op) const {
    return step_.report.groups.empty() ? graph_.topological_index(op)
                                       : step_.report.groups[op.index()];
  }

  void AddKernels() {
    Timeline& t = timeline_;
    for (std::size_t k = 0; k < t.kernels.size(); ++k) {
      KernelRecord& kernel = t.kernels[k];
      kernel.issued =
          SimTime{hardware_.execution.dispatch.picoseconds * (static_cast<std::int64_t>(k) + 1)};
      const OpId first = t.kernel_ops[static_cast<std::size_t>(kernel.first_op)];
      if (const std::optional<OpSpan>& span = step_.report.ops[first.index()]) {
        const bool takes_time = span->finish > span->start;
        const SimTime gap = takes_time ? hardware_.execution.gap_after_op : SimTime{};
        kernel.run =
            Run{.start = span->start, .finish = span->finish, .rested = span->finish + gap};
        if (!step_.report.bandwidth_waits.empty()) {
          kernel.bandwidth_wait = step_.report.bandwidth_waits[first.index()];
        }
      }
    }
    t.kernels.push_back({.first_op = IndexOf(t.kernel_ops.size())});
  }

  // A kernel stands in its stream where the first of its ops stands.
  void AddStreams() {
    Timeline& t = timeline_;
    Streams streams;
    OPYARD_CHECK(FindStreams(graph_, step_.plan, hardware_.num_devices(), streams),
                 "a simulated plan without the order of all ops");
    t.streams_are_parallel = hardware_.execution.streams == StreamRule::kParallel;
    for (std::size_t stream = 0; stream < streams.first.size(); ++stream) {
      t.streams.push_back({.device = DeviceId(At(streams.device_of[stream])), .kernels = {}});
      for (std::int32_t op = streams.first[stream]; op != Streams::kNone;
           op = streams.next[At(op)]) {
        const std::int32_t kernel = t.kernel_of[graph_.topological_order()[At(op)].index()];
        if (t.kernels[At(kernel)].stream < 0) {
          t.kernels[At(kernel)].stream = IndexOf(stream);
          t.streams[stream].kernels.push_back(kernel);
        }
      }
    }
  }

  void AddTransfers() {
    Timeline& t = timeline_;
    ChannelMap channels(hardware_);
    const SimTime gap = t.channels_are_exclusive ? hardware_.transfers.gap_after : SimTime{};
    for (const TransferSpan& span : step_.report.transfers) {
      t.transfers.push_back(
          {.tensor = span.tensor,
           .src = span.src,
           .producer = t.kernel_of[graph_.tensor(span.tensor).producer.index()],
           .first_destination = IndexOf(t.destinations.size()),
           .first_channel = IndexOf(t.transfer_channels.size()),
           .offered = span.offered,
           .run = {.start = span.start, .finish = span.finish, .rested = span.finish + gap}});
      AddDestinations(span);
      AddChannels(span.src, channels);
    }
    t.transfers.push_back({.first_destination = IndexOf(t.destinations.size()),
                           .first_channel = IndexOf(t.transfer_channels.size())});
    t.channel_names = channels.names();
  }

  void AddChannelOrders() {
    std::map<CopyId, std::int32_t> transfer_of;
    for (std::size_t i = 0; i < step_.report.transfers.size(); ++i) {
      const TransferSpan& span = step_.report.transfers[i];
      transfer_of[{.tensor = span.tensor, .destination = span.dst}] = IndexOf(i);
    }
    for (const ChannelOrder& order : step_.plan.transfer_order) {
      timeline_.channel_orders.emplace_back();
      for (const CopyId& copy : order.copies) {
        if (const auto found = transfer_of.find(copy); found != transfer_of.end()) {
          timeline_.channel_orders.back().push_back(found->second);
        }
      }
    }
  }

  // A report names one destination; a joint transfer goes to all devices that read the tensor.
  void AddDestinations(const TransferSpan& span) {
    if (hardware_.transfers.one_per != OnePer::kOutput) {
      timeline_.destinations.push_back(span.dst);
      return;
    }
    const auto first = timeline_.destinations.end() - timeline_.destinations.begin();
    for (const OpId reader : readers_.readers(span.tensor)) {
      const DeviceId device = step_.plan.placement[reader.index()];
      if (device != span.src) {
        timeline_.destinations.push_back(device);
      }
    }
    const auto begin = timeline_.destinations.begin() + first;
    std::sort(begin, timeline_.destinations.end());
    timeline_.destinations.erase(std::unique(begin, timeline_.destinations.end()),
                                 timeline_.destinations.end());
  }

  // The channels of the transfer added last: those of all its routes, each once.
  void AddChannels(DeviceId src, ChannelMap& channels) {
    std::vector<std::int32_t> numbers;
    for (const DeviceId dst :
         std::span(timeline_.destinations)
             .subspan(static_cast<std::size_t>(timeline_.transfers.back().first_destination))) {
      const Route* route = step_.routes.Find(src, dst);
      if (is_regal_ || route == nullptr) {
        continue;
      }
      const std::vector<std::int32_t> occupied = channels.Occupied(*route, src, dst);
      numbers.insert(numbers.end(), occupied.begin(), occupied.end());
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (const std::int32_t number : numbers) {
      timeline_.transfer_channels.emplace_back(number);
    }
  }

  void AddArrivals() {
    Timeline& t = timeline_;
    num_uses_.assign(graph_.num_tensors(), 0);
    for (std::size_t k = 0; k < t.num_kernels(); ++k) {
      t.kernels[k].first_arrival = IndexOf(t.arrivals.size());
      are_all_here_ = true;
      AddDataArrivals(k);
      AddSignals(k);
      if (are_all_here_) {
        SetReady(k);
      }
    }
    t.kernels.back().first_arrival = IndexOf(t.arrivals.size());
  }

  // REQUIRES: the arrivals of `kernel` are the last, and complete.
  void SetReady(std::size_t kernel) {
    KernelRecord& record = timeline_.kernels[kernel];
    SimTime arrived;
    for (auto i = static_cast<std::size_t>(record.first_arrival); i < timeline_.arrivals.size();
         ++i) {
      arrived = std::max(arrived, timeline_.arrivals[i].time);
    }
    record.arrived = arrived;
    const SimTime ready = std::max(arrived, ReleaseOf(kernel));
    if (ready <= timeline_.end) {
      record.ready = ready;
    }
  }

  [[nodiscard]] SimTime ReleaseOf(std::size_t kernel) const {
    SimTime release;
    const auto first = static_cast<std::size_t>(timeline_.kernels[kernel].first_op);
    const auto end = static_cast<std::size_t>(timeline_.kernels[kernel + 1].first_op);
    for (std::size_t i = first; i < end; ++i) {
      release = std::max(release, graph_.op(timeline_.kernel_ops[i]).release);
    }
    return release;
  }

  void AddDataArrivals(std::size_t kernel) {
    for (const OpId op : timeline_.ops(kernel)) {
      for (const TensorId tensor : readers_.reads(op)) {
        ++num_uses_[tensor.index()];
      }
    }
    for (const OpId op : timeline_.ops(kernel)) {
      for (const TensorId tensor : readers_.reads(op)) {
        if (const std::int32_t uses = std::exchange(num_uses_[tensor.index()], 0); uses > 0) {
          AddTensor(tensor, uses, kernel);
        }
      }
    }
  }

  // The arrival of `tensor`, which the ops of `kernel` read `uses` times.
  void AddTensor(TensorId tensor, std::int32_t uses, std::size_t kernel) {
    const auto made_by =
        static_cast<std::size_t>(timeline_.kernel_of[graph_.tensor(tensor).producer.index()]);
    if (made_by == kernel) {
      return;
    }
    const DeviceId device = timeline_.kernels[kernel].device;
    if (timeline_.kernels[made_by].device == device) {
      AddArrival({SpanKind::kKernel, IndexOf(made_by)}, SimTime{}, false);
      return;
    }
    const bool is_per_edge = hardware_.transfers.one_per == OnePer::kEdge;
    const CopyKey key{
        .tensor = tensor, .destination = device, .reader = is_per_edge ? IndexOf(kernel) : 0};
    const auto found = std::ranges::equal_range(copies_, key, {}, &TensorCopy::key);
    for (const TensorCopy& copy : found) {
      AddArrival({SpanKind::kTransfer, copy.transfer}, SimTime{}, false);
    }
    are_all_here_ = are_all_here_ && std::ssize(found) == (is_per_edge ? uses : 1);
  }

  void AddSignals(std::size_t kernel) {
    for (const OpId op : timeline_.ops(kernel)) {
      for (const OpId before : readers_.signals(op)) {
        const auto sender = static_cast<std::size_t>(timeline_.kernel_of[before.index()]);
        if (sender != kernel) {
          const DeviceId src = timeline_.kernels[sender].device;
          const DeviceId dst = timeline_.kernels[kernel].device;
          AddArrival({SpanKind::kKernel, IndexOf(sender)}, SignalLatency(src, dst), true);
        }
      }
    }
  }

  [[nodiscard]] SimTime SignalLatency(DeviceId src, DeviceId dst) const {
    const Route* route = is_regal_ ? nullptr : step_.routes.Find(src, dst);
    return route == nullptr ? SimTime{} : route->latency;
  }

  // Adds the input that `from` brings `latency` after its end, unless the step ends before that.
  void AddArrival(SpanId from, SimTime latency, bool is_signal) {
    const bool has_run = from.kind == SpanKind::kTransfer ||
                         timeline_.kernels[static_cast<std::size_t>(from.index)].run.has_value();
    if (!has_run || timeline_.run(from).finish + latency > timeline_.end) {
      are_all_here_ = false;
      return;
    }
    timeline_.arrivals.push_back(
        {.from = from, .time = timeline_.run(from).finish + latency, .is_signal = is_signal});
  }

  const SimulatedStep& step_;
  const OpGraph& graph_;
  const HardwareProfile& hardware_;
  const TensorReaders readers_;
  const bool is_regal_;
  Timeline timeline_;
  std::vector<TensorCopy> copies_;
  std::vector<std::int32_t> num_uses_;  // [num_tensors]: by the kernel at hand
  bool are_all_here_ = false;           // the inputs of the kernel at hand
};

}  // namespace

std::span<const OpId> Timeline::ops(std::size_t kernel) const {
  return Range(kernel_ops, kernels[kernel].first_op, kernels[kernel + 1].first_op);
}

std::span<const Arrival> Timeline::arrivals_of(std::size_t kernel) const {
  return Range(arrivals, kernels[kernel].first_arrival, kernels[kernel + 1].first_arrival);
}

std::span<const DeviceId> Timeline::destinations_of(std::size_t transfer) const {
  return Range(destinations,
               transfers[transfer].first_destination,
               transfers[transfer + 1].first_destination);
}

std::span<const ChannelId> Timeline::channels_of(std::size_t transfer) const {
  return Range(
      transfer_channels, transfers[transfer].first_channel, transfers[transfer + 1].first_channel);
}

const Run& Timeline::run(SpanId span) const {
  const auto index = static_cast<std::size_t>(span.index);
  return span.kind == SpanKind::kKernel ? kernels[index].run.value() : transfers[index].run;
}

Timeline BuildTimeline(const SimulatedStep& step) {
  return TimelineBuilder(step).Build();
}

}  // namespace opyard::sim
