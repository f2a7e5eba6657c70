#include "sim/trace/timeline.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/hardware/channel_map.h"

namespace opyard::sim {
namespace {

std::int32_t Count(std::size_t size) {
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
        is_regal_(step.hardware.rules == Rules::kRegal) {}

  Timeline Build() {
    timeline_.outcome = step_.report.result.outcome;
    timeline_.end = step_.report.result.makespan;
    timeline_.channels_are_exclusive =
        hardware_.transfers.sharing == Sharing::kSerial && !is_regal_;
    GroupOps();
    AddKernels();
    AddTransfers();
    IndexCopies();
    AddArrivals();
    return std::move(timeline_);
  }

 private:
  // A copy of a tensor on a device; `consumer` is a kernel where every edge has its own, else 0.
  struct CopyKey {
    TensorId tensor;
    DeviceId destination;
    std::int32_t consumer = 0;
    friend auto operator<=>(const CopyKey&, const CopyKey&) = default;
  };
  struct Copy {
    CopyKey key;
    std::int32_t transfer = 0;
  };

  // Ops of one group stand together, in topological order; groups are in order of their first op.
  void GroupOps() {
    Timeline& t = timeline_;
    std::vector<OpId> ops(graph_.topological_order().begin(), graph_.topological_order().end());
    std::ranges::stable_sort(ops, {}, [this](OpId op) { return GroupOf(op); });
    t.kernel_of.resize(graph_.num_ops());
    for (const OpId op : ops) {
      if (t.kernels.empty() || t.kernels.back().group != GroupOf(op)) {
        t.kernels.push_back({.group = GroupOf(op),
                             .first_op = Count(t.kernel_ops.size()),
                             .device = step_.plan.placement[op.index()]});
      }
      t.kernel_of[op.index()] = Count(t.kernels.size()) - 1;
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
      }
    }
    t.kernels.push_back({.first_op = Count(t.kernel_ops.size())});
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
           .first_destination = Count(t.destinations.size()),
           .first_channel = Count(t.transfer_channels.size()),
           .offered = span.offered,
           .run = {.start = span.start, .finish = span.finish, .rested = span.finish + gap}});
      AddDestinations(span);
      AddChannels(span.src, channels);
    }
    t.transfers.push_back({.first_destination = Count(t.destinations.size()),
                           .first_channel = Count(t.transfer_channels.size())});
    t.channel_names = channels.names();
  }

  // A report names one destination; a joint transfer goes to all devices that read the tensor.
  void AddDestinations(const TransferSpan& span) {
    if (hardware_.transfers.one_per != OnePer::kOutput) {
      timeline_.destinations.push_back(span.dst);
      return;
    }
    const auto first = timeline_.destinations.end() - timeline_.destinations.begin();
    for (const OpId consumer : graph_.consumers(span.tensor)) {
      const DeviceId device = step_.plan.placement[consumer.index()];
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

  void IndexCopies() {
    for (std::size_t i = 0; i < timeline_.num_transfers(); ++i) {
      for (const DeviceId destination : timeline_.destinations_of(i)) {
        const CopyKey key{.tensor = timeline_.transfers[i].tensor, .destination = destination};
        copies_.push_back({.key = key, .transfer = Count(i)});
      }
    }
    std::ranges::stable_sort(copies_, {}, &Copy::key);
    if (hardware_.transfers.one_per == OnePer::kEdge) {
      NameReaders();
    }
  }

  // Copies of one tensor to one device, one per edge, take the same channels and the same room, so
  // they start in their order: (priority descending, reader, argument).
  void NameReaders() {
    for (const TransferPriority& given : step_.plan.transfer_priority) {
      given_priorities_.emplace(given.tensor, given.destination);
    }
    for (auto first = copies_.begin(); first != copies_.end();) {
      const CopyKey key = first->key;
      for (const std::int32_t reader : ReadersInOrder(key)) {
        if (first == copies_.end() || first->key != key) {
          break;
        }
        first->key.consumer = reader;
        ++first;
      }
      OPYARD_CHECK(first == copies_.end() || first->key != key, "a transfer that serves no edge");
    }
    std::ranges::stable_sort(copies_, {}, &Copy::key);
  }

  // The kernels that read the tensor of `key` on its device, once per argument.
  [[nodiscard]] std::vector<std::int32_t> ReadersInOrder(const CopyKey& key) const {
    std::vector<std::pair<std::int64_t, std::int32_t>> readers;  // negated priority, kernel
    for (const OpId consumer : graph_.consumers(key.tensor)) {
      if (step_.plan.placement[consumer.index()] == key.destination) {
        const std::int32_t kernel = timeline_.kernel_of[consumer.index()];
        const auto uses = std::ranges::count(graph_.inputs(consumer), key.tensor);
        const std::pair entry(-EdgePriority(key, kernel), kernel);
        readers.insert(readers.end(), static_cast<std::size_t>(uses), entry);
      }
    }
    std::ranges::sort(readers);
    std::vector<std::int32_t> kernels;
    std::ranges::transform(
        readers, std::back_inserter(kernels), [](const auto& entry) { return entry.second; });
    return kernels;
  }

  // Where the plan says something about the tensor, it is the same for all its readers there.
  [[nodiscard]] std::int64_t EdgePriority(const CopyKey& key, std::int32_t kernel) const {
    const Plan& plan = step_.plan;
    const bool is_given = given_priorities_.contains({key.tensor, key.destination});
    if (is_given || plan.queue == QueueDiscipline::kFifo || plan.op_priority.empty()) {
      return 0;
    }
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (const OpId op : timeline_.ops(static_cast<std::size_t>(kernel))) {
      greatest = std::max(greatest, plan.op_priority[op.index()]);
    }
    return greatest;
  }

  void AddArrivals() {
    Timeline& t = timeline_;
    last_reader_.assign(graph_.num_tensors(), -1);
    for (std::size_t k = 0; k < t.num_kernels(); ++k) {
      t.kernels[k].first_arrival = Count(t.arrivals.size());
      are_all_here_ = true;
      for (const OpId op : t.ops(k)) {
        AddDataArrivals(op, k);
        AddSignals(op, k);
      }
      if (are_all_here_) {
        t.kernels[k].ready = SimTime{};
        for (auto i = static_cast<std::size_t>(t.kernels[k].first_arrival); i < t.arrivals.size();
             ++i) {
          t.kernels[k].ready = std::max(*t.kernels[k].ready, t.arrivals[i].time);
        }
      }
    }
    t.kernels.back().first_arrival = Count(t.arrivals.size());
  }

  void AddDataArrivals(OpId op, std::size_t kernel) {
    const DeviceId device = timeline_.kernels[kernel].device;
    for (const TensorId input : graph_.inputs(op)) {
      const auto made_by =
          static_cast<std::size_t>(timeline_.kernel_of[graph_.tensor(input).producer.index()]);
      const bool was_seen =
          std::exchange(last_reader_[input.index()], Count(kernel)) == Count(kernel);
      if (made_by == kernel || was_seen) {
        continue;
      }
      if (timeline_.kernels[made_by].device == device) {
        AddArrival({SpanKind::kKernel, Count(made_by)}, SimTime{}, false);
      } else {
        AddCopies(input, kernel);
      }
    }
  }

  // The copies of `tensor` that serve `kernel`: one, or one per argument that reads it.
  void AddCopies(TensorId tensor, std::size_t kernel) {
    const bool is_per_edge = hardware_.transfers.one_per == OnePer::kEdge;
    const CopyKey key{.tensor = tensor,
                      .destination = timeline_.kernels[kernel].device,
                      .consumer = is_per_edge ? Count(kernel) : 0};
    const auto found = std::ranges::equal_range(copies_, key, {}, &Copy::key);
    for (const Copy& copy : found) {
      AddArrival({SpanKind::kTransfer, copy.transfer}, SimTime{}, false);
    }
    are_all_here_ = are_all_here_ && std::ssize(found) == NumExpected(tensor, kernel);
  }

  [[nodiscard]] std::ptrdiff_t NumExpected(TensorId tensor, std::size_t kernel) const {
    if (hardware_.transfers.one_per != OnePer::kEdge) {
      return 1;
    }
    std::ptrdiff_t count = 0;
    for (const OpId op : timeline_.ops(kernel)) {
      count += std::ranges::count(graph_.inputs(op), tensor);
    }
    return count;
  }

  void AddSignals(OpId op, std::size_t kernel) {
    for (const OpId before : graph_.control_inputs(op)) {
      const auto sender = static_cast<std::size_t>(timeline_.kernel_of[before.index()]);
      if (sender != kernel) {
        const DeviceId src = timeline_.kernels[sender].device;
        const DeviceId dst = timeline_.kernels[kernel].device;
        AddArrival({SpanKind::kKernel, Count(sender)}, SignalLatency(src, dst), true);
      }
    }
  }

  [[nodiscard]] SimTime SignalLatency(DeviceId src, DeviceId dst) const {
    const Route* route = is_regal_ ? nullptr : step_.routes.Find(src, dst);
    return route == nullptr ? SimTime{} : route->latency;
  }

  // What `from` brings `latency` after its end, if that is before the end of the step.
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
  const bool is_regal_;
  Timeline timeline_;
  std::vector<Copy> copies_;  // by key
  std::set<std::pair<TensorId, DeviceId>> given_priorities_;
  std::vector<std::int32_t> last_reader_;  // [num_tensors]: the kernel that was seen to read it
  bool are_all_here_ = false;              // the inputs of the kernel at hand
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
  if (step.hardware.rules == Rules::kPlaceto) {
    throw UnsupportedError("machine " + step.hardware.name +
                           ": rules: this version draws and explains opyard, regal only");
  }
  return TimelineBuilder(step).Build();
}

}  // namespace opyard::sim
