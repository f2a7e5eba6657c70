#include "tests/support/critical_path_checks.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/graph/placeto_reads.h"
#include "sim/hardware/channel_map.h"
#include "tests/support/reference_kernels.h"

namespace opyard::testing {
namespace {

using sim::CriticalPart;
using sim::PartKind;

// Checks the path of one step.
class PathChecker {
 public:
  explicit PathChecker(const SimulatedCase& made)
      : made_(made),
        graph_(made.both().graph()),
        hardware_(made.both().hardware()),
        report_(made.report()),
        kernels_(graph_, hardware_, made.both().costs(), made.step().plan),
        path_(sim::CriticalPath(made.timeline(), hardware_)) {}

  void Check(KindCounts& seen) {
    ASSERT_FALSE(path_.empty());
    EXPECT_EQ(path_.front().start, SimTime{});
    EXPECT_EQ(path_.back().finish, report_.result.makespan);
    SimTime sum;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      SCOPED_TRACE("part " + std::to_string(i) + ", " + sim::NameOf(path_[i].kind));
      sum += path_[i].duration();
      ++seen[static_cast<std::size_t>(path_[i].kind)];
      CheckPart(path_[i]);
      if (i > 0) {
        EXPECT_EQ(path_[i].start, path_[i - 1].finish);
        CheckStep(path_[i - 1], path_[i]);
      }
    }
    EXPECT_EQ(sum, report_.result.makespan);
  }

 private:
  static bool IsWork(const CriticalPart& part) {
    return part.kind == PartKind::kKernel || part.kind == PartKind::kTransfer ||
           part.kind == PartKind::kMemoryBandwidth;
  }

  static std::size_t At(sim::SpanId span) { return static_cast<std::size_t>(span.index); }
  [[nodiscard]] const std::vector<OpId>& Ops(sim::SpanId span) const {
    return kernels_[At(span)].ops;
  }
  [[nodiscard]] const sim::OpSpan& OpRun(sim::SpanId span) const {
    return report_.ops[Ops(span).front().index()].value();
  }
  [[nodiscard]] bool Contains(sim::SpanId kernel, OpId op) const {
    return std::ranges::find(Ops(kernel), op) != Ops(kernel).end();
  }
  [[nodiscard]] const sim::TransferSpan& Moved(sim::SpanId span) const {
    return report_.transfers[static_cast<std::size_t>(span.index)];
  }
  void CheckPart(const CriticalPart& part) const {
    if (!IsWork(part)) {
      EXPECT_LT(part.start, part.finish);
    }
    switch (part.kind) {
      case PartKind::kKernel:
      case PartKind::kMemoryBandwidth:
        CheckRun(part);
        break;
      case PartKind::kTransfer:
        EXPECT_EQ(part.start, Moved(part.subject).start);
        EXPECT_EQ(part.finish, Moved(part.subject).finish);
        break;
      case PartKind::kSignal:
        CheckSignal(part);
        break;
      case PartKind::kQueueWait:
        EXPECT_EQ(OpRun(*part.behind).device, OpRun(part.subject).device);
        EXPECT_LE(OpRun(*part.behind).start, part.start);
        EXPECT_EQ(OpRun(*part.behind).finish, part.finish);
        CheckIsReady(part);
        break;
      case PartKind::kChannelWait:
        EXPECT_TRUE(ShareAChannel(part.subject, *part.behind));
        EXPECT_LE(Moved(*part.behind).start, part.start);
        EXPECT_EQ(Moved(*part.behind).finish, part.finish);
        EXPECT_LE(Moved(part.subject).offered, part.start);
        break;
      case PartKind::kStreamHead:
        EXPECT_GE(OpRun(*part.behind).start, part.finish);
        EXPECT_TRUE(StandsBefore(*part.behind, part.subject));
        EXPECT_TRUE(IsIdle(part));
        CheckIsReady(part);
        break;
      case PartKind::kChannelTurn:
        EXPECT_GE(Moved(*part.behind).start, part.finish);
        EXPECT_LE(Moved(part.subject).offered, part.start);
        EXPECT_TRUE(PassesBefore(Moved(*part.behind), Moved(part.subject)));
        EXPECT_TRUE(ChannelsAreFree(part));
        break;
      case PartKind::kMemoryWait:
        CheckMemoryWait(part);
        break;
      case PartKind::kDispatch:
        EXPECT_EQ(part.finish, IssueOf(part.subject));
        EXPECT_EQ(part.start, ReadyOf(part.subject));
        break;
      case PartKind::kGap:
        CheckGap(part);
        break;
      case PartKind::kRelease:
        EXPECT_EQ(part.finish, ReadyOf(part.subject));
        EXPECT_TRUE(std::ranges::any_of(
            Ops(part.subject), [&](OpId op) { return graph_.op(op).release == part.finish; }));
        break;
    }
  }

  // A kernel runs as long as alone, then for what others cost it.
  void CheckRun(const CriticalPart& part) const {
    const sim::OpSpan& run = OpRun(part.subject);
    const SimTime alone = run.start + kernels_[At(part.subject)].duration;
    EXPECT_EQ(part.start, part.kind == PartKind::kKernel ? run.start : alone);
    EXPECT_EQ(part.finish, part.kind == PartKind::kKernel ? alone : run.finish);
    if (part.kind == PartKind::kMemoryBandwidth) {
      EXPECT_LT(part.start, part.finish);
    }
  }

  void CheckSignal(const CriticalPart& part) const {
    EXPECT_TRUE(Signals(*part.behind, part.subject));
    EXPECT_EQ(part.start, OpRun(*part.behind).finish);
    const sim::Route* route =
        made_.step().routes.Find(OpRun(*part.behind).device, OpRun(part.subject).device);
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(part.duration(), route->latency);
  }

  void CheckGap(const CriticalPart& part) const {
    const bool is_device = part.behind->kind == sim::SpanKind::kKernel;
    const SimTime finish = is_device ? OpRun(*part.behind).finish : Moved(*part.behind).finish;
    const SimTime gap =
        is_device ? hardware_.execution.gap_after_op : hardware_.transfers.gap_after;
    EXPECT_GE(part.start, finish);
    EXPECT_EQ(part.finish, finish + gap);
    if (part.behind == part.subject) {
      EXPECT_TRUE(hardware_.execution.trailing_gaps_count);
      EXPECT_EQ(part.finish, report_.result.makespan);
    } else if (is_device) {
      EXPECT_EQ(OpRun(*part.behind).device, OpRun(part.subject).device);
      EXPECT_LT(OpRun(*part.behind).start, OpRun(*part.behind).finish);
      CheckIsReady(part);
    } else {
      EXPECT_TRUE(ShareAChannel(part.subject, *part.behind));
      EXPECT_LE(Moved(part.subject).offered, part.start);
    }
  }

  // All along nothing runs or moves in its way, and what is asked for does not fit.
  void CheckMemoryWait(const CriticalPart& part) const {
    EXPECT_EQ(hardware_.memory.on_exceed, sim::OnExceed::kWait);
    if (part.subject.kind == sim::SpanKind::kKernel) {
      CheckIsReady(part);
      EXPECT_TRUE(IsIdle(part));
      EXPECT_TRUE(LacksRoom({OpRun(part.subject).device}, NeededBy(part.subject), part));
    } else {
      const auto index = static_cast<std::size_t>(part.subject.index);
      const auto destinations = made_.timeline().destinations_of(index);
      EXPECT_LE(Moved(part.subject).offered, part.start);
      EXPECT_TRUE(ChannelsAreFree(part));
      EXPECT_TRUE(LacksRoom({destinations.begin(), destinations.end()},
                            graph_.tensor(Moved(part.subject).tensor).bytes,
                            part));
    }
  }

  // One stream has both, and the first op of `before` first.
  [[nodiscard]] bool StandsBefore(sim::SpanId before, sim::SpanId after) const {
    const sim::Plan& plan = made_.step().plan;
    std::vector<sim::Stream> streams = {
        {graph_.topological_order().begin(), graph_.topological_order().end()}};
    if (plan.queue == sim::QueueDiscipline::kOrder) {
      streams = plan.order[OpRun(before).device.index()];
    }
    return OpRun(before).device == OpRun(after).device &&
           std::ranges::any_of(streams, [&](const sim::Stream& stream) {
             const auto first = [&](sim::SpanId kernel) {
               return std::ranges::find_if(stream, [&](OpId op) { return Contains(kernel, op); });
             };
             return first(after) != stream.end() && first(before) < first(after);
           });
  }

  // An order of a channel has both, and `before` first.
  [[nodiscard]] bool PassesBefore(const sim::TransferSpan& before,
                                  const sim::TransferSpan& after) const {
    return std::ranges::any_of(
        made_.step().plan.transfer_order, [&](const sim::ChannelOrder& order) {
          const auto place = [&](const sim::TransferSpan& span) {
            return std::ranges::find(order.copies, sim::CopyId{span.tensor, span.dst});
          };
          return place(after) != order.copies.end() && place(before) < place(after);
        });
  }

  // Of the device of the waiting kernel, or at least of its stream.
  [[nodiscard]] bool IsIdle(const CriticalPart& part) const {
    return hardware_.execution.streams == sim::StreamRule::kParallel ||
           IsIdle(OpRun(part.subject).device, part.start, part.finish);
  }

  // Ops that take no time take no device, so they may pass.
  [[nodiscard]] bool IsIdle(DeviceId device, SimTime start, SimTime finish) const {
    return std::ranges::none_of(report_.ops, [&](const auto& op) {
      return op->device == device && op->finish > op->start && op->start < finish &&
             op->finish + hardware_.execution.gap_after_op > start;
    });
  }

  [[nodiscard]] bool ChannelsAreFree(const CriticalPart& part) const {
    if (!made_.timeline().channels_are_exclusive) {
      return true;
    }
    for (std::size_t i = 0; i < report_.transfers.size(); ++i) {
      const sim::SpanId other{sim::SpanKind::kTransfer, static_cast<std::int32_t>(i)};
      const bool overlaps = Moved(other).start < part.finish &&
                            Moved(other).finish + hardware_.transfers.gap_after > part.start;
      if (overlaps && ShareAChannel(part.subject, other)) {
        return false;
      }
    }
    return true;
  }

  // The devices whose memory `device` uses, itself included.
  [[nodiscard]] std::vector<DeviceId> Sharing(DeviceId device) const {
    const std::int32_t pool = hardware_.devices[device.index()].memory_pool;
    return pool < 0 ? std::vector{device} : hardware_.DevicesOfPool(static_cast<std::size_t>(pool));
  }

  // At every instant of the part, the memory of one of `devices` at least has no room for `bytes`
  // on each of them that uses it.
  [[nodiscard]] bool LacksRoom(const std::vector<DeviceId>& devices,
                               Bytes bytes,
                               const CriticalPart& part) const {
    std::vector<Bytes> in_use(hardware_.num_devices());
    const auto is_full = [&](DeviceId device) {
      Bytes needed;
      for (const DeviceId other : Sharing(device)) {
        needed += in_use[other.index()];
        needed += std::ranges::find(devices, other) == devices.end() ? Bytes{} : bytes;
      }
      return needed > hardware_.capacity(device);
    };
    std::size_t next = 0;
    for (SimTime time = part.start; time < part.finish;) {
      for (; next < report_.memory.size() && report_.memory[next].time <= time; ++next) {
        in_use[report_.memory[next].device.index()] = report_.memory[next].in_use;
      }
      if (std::ranges::none_of(devices, is_full)) {
        return false;
      }
      time = next < report_.memory.size() ? report_.memory[next].time : part.finish;
    }
    return true;
  }

  // Its outputs, as far as others see them, and its largest workspace.
  [[nodiscard]] Bytes NeededBy(sim::SpanId kernel) const {
    Bytes outputs;
    Bytes workspace;
    for (const OpId op : Ops(kernel)) {
      workspace = std::max(workspace, graph_.op(op).workspace_bytes);
      for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
        const sim::Tensor& output = graph_.tensor(graph_.output(op, i));
        const bool is_own =
            kernels_.HasStorage(graph_.output(op, i)) ||
            (hardware_.rules == sim::Rules::kPlaceto && output.alias == sim::Alias::kInput);
        const bool is_seen = !kernels_.StaysInside(graph_.output(op, i));
        outputs += is_own && is_seen ? output.bytes : Bytes{};
      }
    }
    return outputs + workspace;
  }

  // It had its inputs and was issued when the part begins.
  void CheckIsReady(const CriticalPart& part) const {
    EXPECT_LE(ReadyOf(part.subject), part.start);
    EXPECT_LE(IssueOf(part.subject), part.start);
  }

  [[nodiscard]] SimTime ReadyOf(sim::SpanId kernel) const {
    return made_.timeline().kernels[static_cast<std::size_t>(kernel.index)].ready.value();
  }

  [[nodiscard]] SimTime IssueOf(sim::SpanId kernel) const {
    return SimTime{(kernel.index + 1) * hardware_.execution.dispatch.picoseconds};
  }

  [[nodiscard]] std::vector<std::int32_t> ChannelsOf(sim::SpanId transfer) const {
    std::vector<std::int32_t> channels;
    const sim::TransferSpan& moved = Moved(transfer);
    const auto destinations =
        made_.timeline().destinations_of(static_cast<std::size_t>(transfer.index));
    for (const DeviceId dst : destinations) {
      const auto occupied =
          channel_map_.Occupied(*made_.step().routes.Find(moved.src, dst), moved.src, dst);
      channels.insert(channels.end(), occupied.begin(), occupied.end());
    }
    return channels;
  }

  [[nodiscard]] bool ShareAChannel(sim::SpanId a, sim::SpanId b) const {
    const std::vector<std::int32_t> theirs = ChannelsOf(b);
    return std::ranges::any_of(ChannelsOf(a), [&](std::int32_t channel) {
      return std::ranges::find(theirs, channel) != theirs.end();
    });
  }

  // A wait is followed by what waited; what ran before it brought an input.
  void CheckStep(const CriticalPart& before, const CriticalPart& after) const {
    if (!IsWork(before)) {
      EXPECT_EQ(before.subject, after.subject);
      return;
    }
    if (after.kind == PartKind::kSignal) {
      EXPECT_EQ(*after.behind, before.subject);
    } else if (after.subject != before.subject) {
      EXPECT_TRUE(Feeds(before.subject, after.subject));
    }
  }

  [[nodiscard]] bool Feeds(sim::SpanId from, sim::SpanId to) const {
    if (to.kind == sim::SpanKind::kTransfer) {
      return Contains(from, graph_.tensor(Moved(to).tensor).producer) &&
             Moved(to).offered == OpRun(from).finish;
    }
    const std::vector<TensorId> tensors = TensorsReadBy(to);
    if (from.kind == sim::SpanKind::kTransfer) {
      return std::ranges::find(tensors, Moved(from).tensor) != tensors.end();
    }
    return Signals(from, to) || std::ranges::any_of(tensors, [&](TensorId tensor) {
             return Contains(from, graph_.tensor(tensor).producer);
           });
  }

  [[nodiscard]] std::vector<TensorId> TensorsReadBy(sim::SpanId kernel) const {
    std::vector<TensorId> tensors;
    for (const OpId op : Ops(kernel)) {
      const std::vector<TensorId> of_placeto = sim::ReadsForPlaceto(graph_, op).tensors;
      const auto listed = hardware_.rules == sim::Rules::kPlaceto
                              ? std::span<const TensorId>(of_placeto)
                              : graph_.inputs(op);
      tensors.insert(tensors.end(), listed.begin(), listed.end());
    }
    return tensors;
  }

  // True if a control edge leads from one to the other.
  [[nodiscard]] bool Signals(sim::SpanId from, sim::SpanId to) const {
    return std::ranges::any_of(Ops(to), [&](OpId op) {
      return std::ranges::any_of(graph_.control_inputs(op),
                                 [&](OpId before) { return Contains(from, before); });
    });
  }

  const SimulatedCase& made_;
  const sim::OpGraph& graph_;
  const sim::HardwareProfile& hardware_;
  const sim::SimReport& report_;
  const ReferenceKernels kernels_;  // numbered as the timeline does
  const std::vector<CriticalPart> path_;
  mutable sim::ChannelMap channel_map_{hardware_};
};

}  // namespace

void CheckCriticalPath(const SimulatedCase& made, KindCounts& seen) {
  PathChecker(made).Check(seen);
}

}  // namespace opyard::testing
