#include "sim/analysis/critical_path.h"

#include <algorithm>
#include <span>

#include "sim/base/array_index.h"
#include "sim/base/check.h"

namespace opyard::sim {
namespace {

// A device or channel is taken in [start, rested), and at work until `finish`.
struct Hold {
  SimTime start;
  SimTime finish;
  SimTime rested;
  SpanId by;
};

// The holds of all devices or of all channels: those of one place do not overlap.
class Holds {
 public:
  explicit Holds(std::size_t num_places) : holds_(num_places) {}

  // Empty holds keep nobody waiting and are left out.
  void Add(std::size_t place, const Run& run, SpanId by) {
    if (run.rested > run.start) {
      holds_[place].push_back(
          {.start = run.start, .finish = run.finish, .rested = run.rested, .by = by});
    }
  }

  void Sort() {
    for (std::vector<Hold>& holds : holds_) {
      std::ranges::sort(holds, {}, &Hold::start);
    }
  }

  // The hold of `place` at `time`, or null.
  [[nodiscard]] const Hold* At(std::size_t place, SimTime time) const {
    const std::vector<Hold>& holds = holds_[place];
    const auto next = std::ranges::upper_bound(holds, time, {}, &Hold::start);
    const bool is_held = next != holds.begin() && std::prev(next)->rested > time;
    return is_held ? &*std::prev(next) : nullptr;
  }

  // When `place` is taken next after `time`, or `latest`.
  [[nodiscard]] SimTime NextStart(std::size_t place, SimTime time, SimTime latest) const {
    const std::vector<Hold>& holds = holds_[place];
    const auto next = std::ranges::upper_bound(holds, time, {}, &Hold::start);
    return next == holds.end() ? latest : std::min(next->start, latest);
  }

 private:
  std::vector<std::vector<Hold>> holds_;
};

class PathFinder {
 public:
  PathFinder(const Timeline& timeline, const HardwareProfile& hardware)
      : t_(timeline),
        may_wait_for_memory_(hardware.memory.on_exceed == OnExceed::kWait),
        devices_(timeline.streams_are_parallel ? timeline.streams.size() : hardware.num_devices()),
        channels_(timeline.channel_names.size()) {
    for (std::size_t k = 0; k < t_.num_kernels(); ++k) {
      devices_.Add(PlaceOf(t_.kernels[k]), *t_.kernels[k].run, KernelSpan(k));
    }
    for (std::size_t i = 0; t_.channels_are_exclusive && i < t_.num_transfers(); ++i) {
      for (const ChannelId channel : t_.channels_of(i)) {
        channels_.Add(channel.index(), t_.transfers[i].run, TransferSpanId(i));
      }
    }
    devices_.Sort();
    channels_.Sort();
  }

  std::vector<CriticalPart> Find() {
    std::optional<SpanId> span = LastSpan();
    if (t_.run(*span).finish < t_.end) {
      path_.push_back({PartKind::kGap, t_.run(*span).finish, t_.end, *span, *span});
    }
    while (span.has_value()) {
      span = span->kind == SpanKind::kKernel ? ExplainKernel(*span) : ExplainTransfer(*span);
    }
    std::ranges::reverse(path_);
    return std::move(path_);
  }

 private:
  static SpanId KernelSpan(std::size_t index) {
    return {.kind = SpanKind::kKernel, .index = static_cast<std::int32_t>(index)};
  }
  static SpanId TransferSpanId(std::size_t index) {
    return {.kind = SpanKind::kTransfer, .index = static_cast<std::int32_t>(index)};
  }

  // The first kernel, else transfer, that finishes at the end; else the first whose rest does.
  [[nodiscard]] SpanId LastSpan() const {
    for (const auto end : {&Run::finish, &Run::rested}) {
      for (std::size_t k = 0; k < t_.num_kernels(); ++k) {
        if ((*t_.kernels[k].run).*end == t_.end) {
          return KernelSpan(k);
        }
      }
      for (std::size_t i = 0; i < t_.num_transfers(); ++i) {
        if (t_.transfers[i].run.*end == t_.end) {
          return TransferSpanId(i);
        }
      }
    }
    OPYARD_CHECK(false, "nothing ends at the makespan");
    return {};
  }

  // Adds what happened from the arrival of the last input to the kernel's finish, and returns what
  // brought that input.
  std::optional<SpanId> ExplainKernel(SpanId span) {
    const KernelRecord& kernel = t_.kernels[static_cast<std::size_t>(span.index)];
    const SimTime ready = *kernel.ready;
    const SimTime alone = kernel.run->finish - kernel.bandwidth_wait;
    if (kernel.bandwidth_wait > SimTime{}) {
      path_.push_back({PartKind::kMemoryBandwidth, alone, kernel.run->finish, span, std::nullopt});
    }
    path_.push_back({PartKind::kKernel, kernel.run->start, alone, span, std::nullopt});
    waits_.clear();
    if (ready > *kernel.arrived) {
      waits_.push_back({PartKind::kRelease, *kernel.arrived, ready, span, std::nullopt});
    }
    if (kernel.issued > ready) {
      waits_.push_back({PartKind::kDispatch, ready, kernel.issued, span, std::nullopt});
    }
    const std::size_t place = PlaceOf(kernel);
    for (SimTime time = std::max(ready, kernel.issued); time < kernel.run->start;) {
      const Hold* hold = devices_.At(place, time);
      time = hold != nullptr
                 ? AddHold(PartKind::kQueueWait, span, time, *hold)
                 : AddIdleWait(span, time, devices_.NextStart(place, time, kernel.run->start));
    }
    AddWaits();
    return LastArrival(span);
  }

  std::optional<SpanId> ExplainTransfer(SpanId span) {
    const auto index = static_cast<std::size_t>(span.index);
    const TransferRecord& transfer = t_.transfers[index];
    path_.push_back(
        {PartKind::kTransfer, transfer.run.start, transfer.run.finish, span, std::nullopt});
    waits_.clear();
    for (SimTime time = transfer.offered; time < transfer.run.start;) {
      const Hold* hold = LongestHold(index, time);
      time = hold != nullptr ? AddHold(PartKind::kChannelWait, span, time, *hold)
                             : AddUncontendedWait(span, time, NextHold(index, time));
    }
    AddWaits();
    return KernelSpan(static_cast<std::size_t>(transfer.producer));
  }

  // What runs one kernel at a time: a device, or one of its streams.
  [[nodiscard]] std::size_t PlaceOf(const KernelRecord& kernel) const {
    return t_.streams_are_parallel ? opyard::At(kernel.stream) : kernel.device.index();
  }

  // The wait of a ready kernel while its device, or its stream, runs nothing.
  SimTime AddIdleWait(SpanId subject, SimTime time, SimTime until) {
    const std::optional<SpanId> head = HeadBefore(subject, time);
    if (!head.has_value()) {
      return AddMemoryWait(subject, time, until);
    }
    const SimTime end = std::min(until, t_.kernels[opyard::At(head->index)].run->start);
    waits_.push_back({PartKind::kStreamHead, time, end, subject, head});
    return end;
  }

  // The kernel that its stream starts next after `time`, if `subject` stands behind it.
  [[nodiscard]] std::optional<SpanId> HeadBefore(SpanId subject, SimTime time) const {
    const std::int32_t stream = t_.kernels[opyard::At(subject.index)].stream;
    if (stream < 0) {
      return std::nullopt;
    }
    const auto head = std::ranges::upper_bound(
        t_.streams[opyard::At(stream)].kernels, time, {}, [&](std::int32_t kernel) {
          return t_.kernels[opyard::At(kernel)].run->start;
        });
    return *head == subject.index ? std::nullopt : std::optional(KernelSpan(opyard::At(*head)));
  }

  // The wait of an offered transfer while its channels carry nothing.
  SimTime AddUncontendedWait(SpanId subject, SimTime time, SimTime until) {
    const std::optional<std::int32_t> next = NextInOrder(subject.index, time);
    if (!next.has_value()) {
      return AddMemoryWait(subject, time, until);
    }
    const auto index = static_cast<std::size_t>(*next);
    const SimTime end = std::min(until, t_.transfers[index].run.start);
    waits_.push_back({PartKind::kChannelTurn, time, end, subject, TransferSpanId(index)});
    return end;
  }

  // The first transfer that starts after `time` and that an order of a channel has before
  // `transfer`.
  [[nodiscard]] std::optional<std::int32_t> NextInOrder(std::int32_t transfer, SimTime time) const {
    for (const std::vector<std::int32_t>& order : t_.channel_orders) {
      const auto end = std::ranges::find(order, transfer);
      const auto next = std::find_if(order.begin(), end, [&](std::int32_t other) {
        return t_.transfers[opyard::At(other)].run.start > time;
      });
      if (end != order.end() && next != end) {
        return *next;
      }
    }
    return std::nullopt;
  }

  // Among the holds of the transfer's channels at `time`, the one that lasts longest: its end is
  // within the wait, so that the wait behind it ends when it frees the channel.
  [[nodiscard]] const Hold* LongestHold(std::size_t transfer, SimTime time) const {
    const Hold* longest = nullptr;
    for (const ChannelId channel : t_.channels_of(transfer)) {
      const Hold* hold = channels_.At(channel.index(), time);
      if (hold != nullptr && (longest == nullptr || hold->rested > longest->rested)) {
        longest = hold;
      }
    }
    return longest;
  }

  // When some channel of the waiting transfer is taken next, or its own start.
  [[nodiscard]] SimTime NextHold(std::size_t transfer, SimTime time) const {
    SimTime next = t_.transfers[transfer].run.start;
    for (const ChannelId channel : t_.channels_of(transfer)) {
      next = channels_.NextStart(channel.index(), time, next);
    }
    return next;
  }

  // `subject` waits from `time` until `hold` is over; returns when that is.
  SimTime AddHold(PartKind kind, SpanId subject, SimTime time, const Hold& hold) {
    if (hold.finish > time) {
      waits_.push_back({kind, time, hold.finish, subject, hold.by});
    }
    if (hold.rested > hold.finish) {
      waits_.push_back(
          {PartKind::kGap, std::max(time, hold.finish), hold.rested, subject, hold.by});
    }
    return hold.rested;
  }

  SimTime AddMemoryWait(SpanId subject, SimTime time, SimTime until) {
    OPYARD_CHECK(may_wait_for_memory_, "something waits, and nothing is in its way");
    waits_.push_back({PartKind::kMemoryWait, time, until, subject, std::nullopt});
    return until;
  }

  void AddWaits() { path_.insert(path_.end(), waits_.rbegin(), waits_.rend()); }

  // The span that brought the kernel's last input; adds the way of a control edge.
  std::optional<SpanId> LastArrival(SpanId span) {
    const auto kernel = static_cast<std::size_t>(span.index);
    const auto arrivals = t_.arrivals_of(kernel);
    const auto last = std::ranges::find(arrivals, *t_.kernels[kernel].arrived, &Arrival::time);
    if (last == arrivals.end()) {
      return std::nullopt;
    }
    const SimTime sent = t_.run(last->from).finish;
    if (last->is_signal && last->time > sent) {
      path_.push_back({PartKind::kSignal, sent, last->time, span, last->from});
    }
    return last->from;
  }

  const Timeline& t_;
  const bool may_wait_for_memory_;
  Holds devices_;
  Holds channels_;
  std::vector<CriticalPart> path_;   // backwards
  std::vector<CriticalPart> waits_;  // of the span at hand, forwards
};

}  // namespace

const char* NameOf(PartKind kind) {
  constexpr std::array<const char*, kNumPartKinds> kNames = {"kernel",
                                                             "transfer",
                                                             "signal",
                                                             "queue_wait",
                                                             "channel_wait",
                                                             "stream_head",
                                                             "channel_turn",
                                                             "memory_wait",
                                                             "dispatch",
                                                             "gap",
                                                             "release",
                                                             "memory_bandwidth"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<CriticalPart> CriticalPath(const Timeline& timeline, const HardwareProfile& hardware) {
  OPYARD_CHECK(timeline.outcome == Outcome::kCompleted, "the path of a step that did not complete");
  return PathFinder(timeline, hardware).Find();
}

std::array<SimTime, kNumPartKinds> TimeByKind(std::span<const CriticalPart> parts) {
  std::array<SimTime, kNumPartKinds> totals{};
  for (const CriticalPart& part : parts) {
    totals[static_cast<std::size_t>(part.kind)] += part.duration();
  }
  return totals;
}

}  // namespace opyard::sim
