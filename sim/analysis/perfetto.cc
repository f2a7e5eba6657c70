#include "sim/analysis/perfetto.h"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/analysis/kernel_tracks.h"
#include "sim/analysis/metrics.h"
#include "sim/analysis/picture_span.h"
#include "sim/analysis/span_names.h"
#include "sim/analysis/trace_event.h"
#include "sim/analysis/transfer_tracks.h"

namespace opyard::sim {
namespace {

// Processes of the file, which viewers show in this order.
constexpr std::int32_t kDevices = 1;
constexpr std::int32_t kChannels = 2;
constexpr std::int32_t kPath = 3;

// The thread of the first track of each process. Viewers take a thread with the number of its
// process for the main one and move it to the top.
constexpr std::int32_t kFirstThread = 10;

std::int32_t ThreadOf(std::size_t track) {
  return kFirstThread + static_cast<std::int32_t>(track);
}

// Kernels that an instant names; viewers show each as a row.
constexpr std::size_t kMostNames = 100;

// An end of a flow arrow: "s" where it begins, "f" where it ends.
struct FlowEnd {
  const char* phase;
  std::int32_t pid = 0;
  std::int32_t tid = 0;
  std::int64_t time_ns = 0;
};

class TraceWriter {
 public:
  TraceWriter(const SimulatedStep& step,
              const Timeline& timeline,
              std::span<const CriticalPart> path,
              std::ostream& out)
      : step_(step),
        t_(timeline),
        path_(path),
        names_(step.graph, timeline),
        kernel_tracks_(LayOutKernels(step, timeline)),
        transfer_tracks_(LayOutTransfers(step, timeline)),
        out_(out) {}

  void Write() {
    out_ << R"({"displayTimeUnit":"ns","otherData":)" << Description() << R"(,"traceEvents":[)";
    NameTracks();
    for (std::size_t k = 0; k < t_.num_kernels(); ++k) {
      if (const auto& run = t_.kernels[k].run;
          run.has_value() && !PictureSpanOf(*run, t_.end).is_instant()) {
        WriteKernel(k);
      }
    }
    for (const KernelTracks::Instant& instant : kernel_tracks_.instants) {
      WriteInstant(instant);
    }
    for (std::size_t i = 0; i < t_.num_transfers(); ++i) {
      WriteTransfer(i);
    }
    for (const CriticalPart& part : path_) {
      WritePart(part);
    }
    WriteFlows();
    WriteCounters();
    out_ << "\n]}\n";
  }

 private:
  [[nodiscard]] std::string Description() const {
    ObjectText text;
    text.AddText("simulator", "opyard");
    text.AddText("graph", step_.graph.name());
    text.AddText("machine", step_.hardware.name);
    text.AddText("outcome", sim::NameOf(t_.outcome));
    text.AddTime("makespan_ps", t_.end);
    return text.Text();
  }

  void Put(const ObjectText& event) {
    out_ << (is_first_ ? "\n" : ",\n") << event.Text();
    is_first_ = false;
  }

  void PutName(const char* what, std::string_view name, std::int32_t pid, std::int32_t tid) {
    ObjectText args;
    args.AddText("name", name);
    ObjectText event = Event("M", what, pid, tid);
    event.AddRaw("args", args.Text());
    Put(event);
    ObjectText order;
    order.AddNumber("sort_index", tid > 0 ? tid : pid);
    event = Event("M", tid > 0 ? "thread_sort_index" : "process_sort_index", pid, tid);
    event.AddRaw("args", order.Text());
    Put(event);
  }

  void NameTracks() {
    PutName("process_name", "devices", kDevices, 0);
    for (std::size_t i = 0; i < kernel_tracks_.names.size(); ++i) {
      PutName("thread_name", kernel_tracks_.names[i], kDevices, ThreadOf(i));
    }
    PutName("process_name", "channels", kChannels, 0);
    for (std::size_t i = 0; i < transfer_tracks_.tracks.size(); ++i) {
      const auto& [row, lane] = transfer_tracks_.tracks[i];
      const std::string name = lane == 0 ? row : row + " #" + std::to_string(lane + 1);
      PutName("thread_name", name, kChannels, ThreadOf(i));
    }
    if (!path_.empty()) {
      PutName("process_name", "critical path", kPath, 0);
      PutName("thread_name", "critical path", kPath, kFirstThread);
    }
  }

  void PutSpan(ObjectText& event,
               const char* category,
               const PictureSpan& span,
               const std::string& args) {
    event.AddText("cat", category);
    event.AddRaw("ts", Microseconds(span.start_ns));
    event.AddRaw("dur", Microseconds(span.finish_ns - span.start_ns));
    event.AddRaw("args", args);
    Put(event);
  }

  void AddTimes(ObjectText& args, const Run& run) const {
    args.AddTime("start_ps", run.start);
    if (run.finish <= t_.end) {
      args.AddTime("finish_ps", run.finish);
    } else {
      args.AddText("cut", "the step failed before its end");
    }
  }

  void WriteKernel(std::size_t kernel) {
    const KernelRecord& record = t_.kernels[kernel];
    const SpanId span{SpanKind::kKernel, static_cast<std::int32_t>(kernel)};
    const Op& first = step_.graph.op(t_.ops(kernel).front());
    ObjectText args;
    AddOpArgs(args, kernel, first);
    args.AddNumber("group", record.group);
    args.AddTime("ready_ps", *record.ready);
    AddTimes(args, *record.run);
    ObjectText event =
        Event("X", names_.Of(span), kDevices, kernel_tracks_.of_kernel[kernel] + kFirstThread);
    PutSpan(event, "kernel", PictureSpanOf(*record.run, t_.end), args.Text());
  }

  // Kernels that take no time: one as any other, several as one event with their names.
  void WriteInstant(const KernelTracks::Instant& instant) {
    if (instant.kernels.size() == 1) {
      WriteKernel(static_cast<std::size_t>(instant.kernels.front()));
      return;
    }
    const auto name_of = [this](std::int32_t kernel) {
      return names_.Of(SpanId{SpanKind::kKernel, kernel});
    };
    nlohmann::json kernels = nlohmann::json::array();
    for (const std::int32_t kernel : instant.kernels | std::views::take(kMostNames)) {
      kernels.push_back(name_of(kernel));
    }
    ObjectText args;
    args.AddNumber("num_kernels", static_cast<std::int64_t>(instant.kernels.size()));
    args.AddRaw("kernels", kernels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    const std::string name = name_of(instant.kernels.front()) + " and " +
                             std::to_string(instant.kernels.size() - 1) + " more";
    ObjectText event = Event("X", name, kDevices, instant.track + kFirstThread);
    PutSpan(event, "kernel", {instant.time_ns, instant.time_ns}, args.Text());
  }

  void AddOpArgs(ObjectText& args, std::size_t kernel, const Op& first) const {
    Flops flops;
    Bytes bytes;
    nlohmann::json ops = nlohmann::json::array();
    for (const OpId op : t_.ops(kernel)) {
      flops = flops + step_.graph.op(op).flops;
      bytes += step_.graph.op(op).bytes_accessed;
      ops.push_back(step_.graph.op(op).name);
    }
    args.AddText("type", first.type);
    if (first.phase != Phase::kUnknown) {
      args.AddText("phase", sim::NameOf(first.phase));
    }
    if (first.layer.has_value()) {
      args.AddNumber("layer", *first.layer);
    }
    args.AddRaw("flops", nlohmann::json(flops.count).dump());
    args.AddNumber("bytes", bytes.count);
    if (const auto& priority = step_.plan.op_priority; !priority.empty()) {
      std::int64_t greatest = priority[t_.ops(kernel).front().index()];
      for (const OpId op : t_.ops(kernel)) {
        greatest = std::max(greatest, priority[op.index()]);
      }
      args.AddNumber("priority", greatest);
    }
    if (ops.size() > 1) {
      args.AddRaw("ops", ops.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
  }

  // On every channel that it occupies; in full on the first.
  void WriteTransfer(std::size_t transfer) {
    const TransferRecord& record = t_.transfers[transfer];
    const SpanId span{SpanKind::kTransfer, static_cast<std::int32_t>(transfer)};
    ObjectText args;
    args.AddNumber("bytes", step_.graph.tensor(record.tensor).bytes.count);
    args.AddText("from", step_.hardware.devices[record.src.index()].name);
    args.AddText("to", names_.Destinations(step_.hardware, transfer));
    args.AddTime("offered_ps", record.offered);
    AddTimes(args, record.run);
    for (const std::int32_t track : transfer_tracks_.of(transfer)) {
      ObjectText event = Event("X", names_.Of(span), kChannels, track + kFirstThread);
      const bool is_first = track == transfer_tracks_.of(transfer).front();
      PutSpan(event, "transfer", PictureSpanOf(record.run, t_.end), is_first ? args.Text() : "{}");
    }
  }

  void WritePart(const CriticalPart& part) {
    const Run run{.start = part.start, .finish = part.finish, .rested = part.finish};
    const PictureSpan span = PictureSpanOf(run, t_.end);
    if (span.is_instant()) {
      return;
    }
    ObjectText args;
    args.AddText("kind", sim::NameOf(part.kind));
    args.AddTime("start_ps", part.start);
    args.AddTime("finish_ps", part.finish);
    ObjectText event = Event("X", names_.Of(part), kPath, kFirstThread);
    PutSpan(event, "path", span, args.Text());
  }

  // Arrows bind to the span of their track that holds their time.
  void PutFlow(std::int64_t id, const FlowEnd& end) {
    ObjectText event = Event(end.phase, "tensor", end.pid, end.tid);
    event.AddText("cat", "flow");
    event.AddNumber("id", id);
    event.AddRaw("ts", Microseconds(end.time_ns));
    if (std::string_view(end.phase) == "f") {
      event.AddText("bp", "e");
    }
    Put(event);
  }

  // An arrow leaves in the last nanosecond of a span and comes in the first.
  [[nodiscard]] FlowEnd EndAt(const char* phase, SpanId span) const {
    const auto index = static_cast<std::size_t>(span.index);
    const PictureSpan span_of_end = PictureSpanOf(t_.run(span), t_.end);
    const bool leaves = std::string_view(phase) == "s" && !span_of_end.is_instant();
    const std::int64_t time_ns = leaves ? span_of_end.finish_ns - 1 : span_of_end.start_ns;
    if (span.kind == SpanKind::kKernel) {
      return {phase, kDevices, kernel_tracks_.of_kernel[index] + kFirstThread, time_ns};
    }
    return {phase, kChannels, transfer_tracks_.of(index).front() + kFirstThread, time_ns};
  }

  void WriteFlows() {
    std::int64_t id = 0;
    for (std::size_t i = 0; i < t_.num_transfers(); ++i) {
      const SpanId transfer{SpanKind::kTransfer, static_cast<std::int32_t>(i)};
      PutFlow(++id, EndAt("s", {SpanKind::kKernel, t_.transfers[i].producer}));
      PutFlow(id, EndAt("f", transfer));
    }
    for (std::size_t k = 0; k < t_.num_kernels(); ++k) {
      for (const Arrival& arrival : t_.arrivals_of(k)) {
        if (arrival.from.kind == SpanKind::kTransfer && t_.kernels[k].run.has_value()) {
          PutFlow(++id, EndAt("s", arrival.from));
          PutFlow(id, EndAt("f", {SpanKind::kKernel, static_cast<std::int32_t>(k)}));
        }
      }
    }
  }

  void PutCounter(std::int32_t pid,
                  const std::string& name,
                  SimTime time,
                  std::string_view what,
                  std::int64_t value) {
    ObjectText args;
    args.AddNumber(what, value);
    ObjectText event = Event("C", name, pid, 0);
    event.AddRaw("ts", Microseconds(WholeNanoseconds(time)));
    event.AddRaw("args", args.Text());
    Put(event);
  }

  // Viewers show counters by name, with the key of the value behind it: those of a device stand
  // together.
  void WriteCounters() {
    std::set<DeviceId> in_use;
    for (const MemorySample& sample : step_.report.memory) {
      PutCounter(
          kDevices, NameOf(sample.device) + " memory", sample.time, "bytes", sample.in_use.count);
      in_use.insert(sample.device);
    }
    if (step_.hardware.memory.on_exceed != OnExceed::kIgnore) {
      for (const DeviceId device : in_use) {
        const std::int64_t limit = step_.hardware.capacity(device).count;
        PutCounter(kDevices, NameOf(device) + " memory limit", SimTime{}, "bytes", limit);
        PutCounter(kDevices, NameOf(device) + " memory limit", t_.end, "bytes", limit);
      }
    }
    for (const QueueSample& sample : ReadyQueueLengths(t_)) {
      PutCounter(kDevices, NameOf(sample.device) + " ready", sample.time, "kernels", sample.length);
    }
    for (const WaitingSample& sample : WaitingTransfers(t_)) {
      PutCounter(kChannels, "waiting", sample.time, "transfers", sample.length);
    }
  }

  [[nodiscard]] const std::string& NameOf(DeviceId device) const {
    return step_.hardware.devices[device.index()].name;
  }

  const SimulatedStep& step_;
  const Timeline& t_;
  const std::span<const CriticalPart> path_;
  const SpanNames names_;
  const KernelTracks kernel_tracks_;
  const TransferTracks transfer_tracks_;
  std::ostream& out_;
  bool is_first_ = true;
};

}  // namespace

void WriteTraceEvents(const SimulatedStep& step,
                      const Timeline& timeline,
                      std::span<const CriticalPart> path,
                      std::ostream& out) {
  TraceWriter(step, timeline, path, out).Write();
}

}  // namespace opyard::sim
