#include "sim/trace/perfetto.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/trace/metrics.h"
#include "sim/trace/span_names.h"
#include "sim/trace/transfer_tracks.h"

namespace opyard::sim {
namespace {

// Processes of the file, which viewers show in this order.
constexpr std::int32_t kDevices = 1;
constexpr std::int32_t kChannels = 2;
constexpr std::int32_t kPath = 3;

std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Whole picoseconds as microseconds, exactly: "12.000003".
std::string Microseconds(SimTime time) {
  constexpr std::int64_t kPicoseconds = 1'000'000;
  std::string text = std::to_string(time.picoseconds / kPicoseconds);
  if (const std::int64_t rest = time.picoseconds % kPicoseconds; rest != 0) {
    const std::string digits = std::to_string(rest);
    text += "." + std::string(6 - digits.size(), '0') + digits;
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

// A JSON object that grows by fields.
class ObjectText {
 public:
  void AddText(std::string_view key, std::string_view value) { AddRaw(key, JsonText(value)); }
  void AddNumber(std::string_view key, std::int64_t value) { AddRaw(key, std::to_string(value)); }
  void AddTime(std::string_view key, SimTime value) { AddNumber(key, value.picoseconds); }
  // `json` is the text of a JSON value.
  void AddRaw(std::string_view key, std::string_view json) {
    text_ += text_.size() == 1 ? "\"" : ",\"";
    text_.append(key).append("\":").append(json);
  }
  [[nodiscard]] std::string Text() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

// What every event has.
ObjectText Event(const char* phase, std::string_view name, std::int32_t pid, std::int32_t tid) {
  ObjectText event;
  event.AddText("ph", phase);
  event.AddText("name", name);
  event.AddNumber("pid", pid);
  event.AddNumber("tid", tid);
  return event;
}

// An end of a flow arrow: "s" where it begins, "f" where it ends.
struct FlowEnd {
  const char* phase;
  std::int32_t pid = 0;
  std::int32_t tid = 0;
  SimTime time;
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
        tracks_(LayOutTransfers(step, timeline)),
        out_(out) {}

  void Write() {
    out_ << R"({"displayTimeUnit":"ns","otherData":)" << Description() << R"(,"traceEvents":[)";
    NameTracks();
    for (std::size_t k = 0; k < t_.num_kernels(); ++k) {
      if (t_.kernels[k].run.has_value()) {
        WriteKernel(k);
      }
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
    text.AddText("outcome", NameOf(t_.outcome));
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
    for (std::size_t d = 0; d < step_.hardware.num_devices(); ++d) {
      PutName("thread_name", step_.hardware.devices[d].name, kDevices, Tid(d));
    }
    PutName("process_name", "channels", kChannels, 0);
    for (std::size_t i = 0; i < tracks_.tracks.size(); ++i) {
      const auto& [row, lane] = tracks_.tracks[i];
      const std::string name = lane == 0 ? row : row + " #" + std::to_string(lane + 1);
      PutName("thread_name", name, kChannels, Tid(i));
    }
    if (!path_.empty()) {
      PutName("process_name", "critical path", kPath, 0);
      PutName("thread_name", "critical path", kPath, 1);
    }
  }

  // 0 is the process itself.
  static std::int32_t Tid(std::size_t index) { return static_cast<std::int32_t>(index) + 1; }

  // [start, finish) of `run` as far as the step went.
  void PutSpan(ObjectText& event, const char* category, const Run& run, const std::string& args) {
    const SimTime finish = std::min(run.finish, t_.end);
    event.AddText("cat", category);
    event.AddRaw("ts", Microseconds(run.start));
    event.AddRaw("dur", Microseconds(finish - run.start));
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
    ObjectText event = Event("X", names_.Of(span), kDevices, Tid(record.device.index()));
    PutSpan(event, "kernel", *record.run, args.Text());
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
      args.AddText("phase", NameOf(first.phase));
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
    for (const std::int32_t track : tracks_.of(transfer)) {
      ObjectText event = Event("X", names_.Of(span), kChannels, track + 1);
      const bool is_first = track == tracks_.of(transfer).front();
      PutSpan(event, "transfer", record.run, is_first ? args.Text() : "{}");
    }
  }

  void WritePart(const CriticalPart& part) {
    ObjectText args;
    args.AddText("kind", NameOf(part.kind));
    args.AddTime("start_ps", part.start);
    args.AddTime("finish_ps", part.finish);
    ObjectText event = Event("X", names_.Of(part), kPath, 1);
    const Run run{.start = part.start, .finish = part.finish, .rested = part.finish};
    PutSpan(event, "path", run, args.Text());
  }

  // Arrows bind to the spans of their track at a time: the start, which lies within.
  void PutFlow(std::int64_t id, const FlowEnd& end) {
    ObjectText event = Event(end.phase, "tensor", end.pid, end.tid);
    event.AddText("cat", "flow");
    event.AddNumber("id", id);
    event.AddRaw("ts", Microseconds(end.time));
    if (std::string_view(end.phase) == "f") {
      event.AddText("bp", "e");
    }
    Put(event);
  }

  [[nodiscard]] FlowEnd EndAt(const char* phase, SpanId span) const {
    const auto index = static_cast<std::size_t>(span.index);
    if (span.kind == SpanKind::kKernel) {
      return {phase, kDevices, Tid(t_.kernels[index].device.index()), t_.run(span).start};
    }
    return {phase, kChannels, tracks_.of(index).front() + 1, t_.run(span).start};
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
    event.AddRaw("ts", Microseconds(time));
    event.AddRaw("args", args.Text());
    Put(event);
  }

  void WriteCounters() {
    const std::vector<Device>& devices = step_.hardware.devices;
    for (std::size_t d = 0;
         d < devices.size() && step_.hardware.memory.on_exceed != OnExceed::kIgnore;
         ++d) {
      const std::int64_t limit = step_.hardware.capacity(DeviceId(d)).count;
      for (const SimTime time : {SimTime{}, t_.end}) {
        PutCounter(kDevices, "memory limit of " + devices[d].name, time, "bytes", limit);
      }
    }
    for (const MemorySample& sample : step_.report.memory) {
      const std::string name = "memory of " + devices[sample.device.index()].name;
      PutCounter(kDevices, name, sample.time, "bytes", sample.in_use.count);
    }
    for (const QueueSample& sample : ReadyQueueLengths(t_)) {
      const std::string name = "ready on " + devices[sample.device.index()].name;
      PutCounter(kDevices, name, sample.time, "kernels", sample.length);
    }
    for (const WaitingSample& sample : WaitingTransfers(t_)) {
      PutCounter(kChannels, "waiting transfers", sample.time, "transfers", sample.length);
    }
  }

  const SimulatedStep& step_;
  const Timeline& t_;
  const std::span<const CriticalPart> path_;
  const SpanNames names_;
  const TransferTracks tracks_;
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
