#include "tests/support/reference_engine.h"

#include <algorithm>
#include <map>

namespace opyard::testing {

// Parameters are booked at time 0 in topological order; the first that do not fit fail.
void ReferenceEngine::BookParameters() {
  std::map<std::int32_t, OpId> in_order;
  for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
    in_order[indices_[i]] = OpId(i);
  }
  for (const auto& [index, op] : in_order) {
    if (!memory_.Fits(DeviceOf(op), graph_.op(op).param_bytes)) {
      Fail(DeviceOf(op), "parameters of " + graph_.op(op).name, graph_.op(op).param_bytes);
      return;
    }
    memory_.BookParameters(op);
  }
}

void ReferenceEngine::QueueSources() {
  for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
    for (std::size_t input = 0; input < graph_.inputs(OpId(i)).size(); ++input) {
      missing_[i].insert({false, static_cast<std::int32_t>(input)});
    }
    for (const OpId before : graph_.control_inputs(OpId(i))) {
      missing_[i].insert({true, before.value});
    }
    EnqueueIfReady(OpId(i));
  }
}

void ReferenceEngine::EnqueueIfReady(OpId op) {
  if (!missing_[op.index()].empty()) {
    return;
  }
  const bool has_priority =
      plan_.queue == sim::QueueDiscipline::kPriority && !plan_.op_priority.empty();
  const std::int64_t priority = has_priority ? plan_.op_priority[op.index()] : 0;
  ready_[DeviceOf(op).index()].insert({-priority, now_, indices_[op.index()], op});
}

void ReferenceEngine::Arrive(OpId op, const Need& need) {
  if (missing_[op.index()].erase(need) != 0) {
    EnqueueIfReady(op);
  }
}

// Every input of `consumer` that is `tensor`.
void ReferenceEngine::ArriveAsInput(TensorId tensor, OpId consumer) {
  for (std::size_t i = 0; i < graph_.inputs(consumer).size(); ++i) {
    if (graph_.inputs(consumer)[i] == tensor) {
      Arrive(consumer, {false, static_cast<std::int32_t>(i)});
    }
  }
}

bool ReferenceEngine::Step() {
  bool has_changed = ApplyKernelEnds();
  has_changed |= ApplyTransferEnds();
  has_changed |= ApplySignals();
  has_changed |= StartDevices();
  if (!report_.failure) {
    has_changed |= StartTransfers();
  }
  return has_changed && !report_.failure;
}

bool ReferenceEngine::ApplyKernelEnds() {
  std::map<std::int32_t, OpId> ended;  // by kernel index
  for (std::optional<OpId>& op : running_) {
    if (op && report_.ops[op->index()]->finish == now_) {
      ended[indices_[op->index()]] = *op;
      rest_until_[DeviceOf(*op).index()] = now_ + GapAfter(*op);
      op.reset();
    }
  }
  for (const auto& [index, op] : ended) {
    FinishOp(op);
  }
  return !ended.empty();
}

void ReferenceEngine::FinishOp(OpId op) {
  memory_.FinishOp(op);
  for (std::size_t output = 0; output < graph_.num_outputs(op); ++output) {
    const TensorId tensor = graph_.output(op, output);
    for (const OpId consumer : graph_.consumers(tensor)) {
      if (DeviceOf(consumer) == DeviceOf(op)) {
        ArriveAsInput(tensor, consumer);
      }
    }
  }
  for (const OpId follower : graph_.control_consumers(op)) {
    signals_.push_back({now_ + SignalLatency(op, follower), op, follower});
  }
  for (const ReferenceCopy& copy : copies_) {
    if (copy.producer == op) {
      transfers_.Offer(copy.id, now_);
    }
  }
}

SimTime ReferenceEngine::SignalLatency(OpId from, OpId to) const {
  if (DeviceOf(from) == DeviceOf(to) || hardware_.rules == sim::Rules::kRegal) {
    return SimTime{};
  }
  return routes_.Find(DeviceOf(from), DeviceOf(to))->latency;
}

// The host has issued the op with index i when it has spent i + 1 times `dispatch`.
SimTime ReferenceEngine::IssueTime(OpId op) const {
  return SimTime{(indices_[op.index()] + std::int64_t{1}) *
                 hardware_.execution.dispatch.picoseconds};
}

SimTime ReferenceEngine::GapAfter(OpId op) const {
  const bool takes_time = costs_.time(op, DeviceOf(op)) > SimTime{};
  return takes_time ? hardware_.execution.gap_after_op : SimTime{};
}

bool ReferenceEngine::ApplyTransferEnds() {
  const std::vector<std::size_t> ended = transfers_.TakeEnded(now_);
  for (const std::size_t id : ended) {
    const ReferenceCopy& copy = copies_[id];
    memory_.FinishCopy(copy);
    if (copy.edge) {
      Arrive(copy.edge->first, {false, copy.edge->second});
      continue;
    }
    for (const OpId consumer : copy.consumers) {
      ArriveAsInput(copy.tensor, consumer);
    }
  }
  return !ended.empty();
}

bool ReferenceEngine::ApplySignals() {
  std::vector<ControlSignal> arrived;
  std::erase_if(signals_, [&](const ControlSignal& signal) {
    if (signal.arrival == now_) {
      arrived.push_back(signal);
    }
    return signal.arrival == now_;
  });
  for (const ControlSignal& signal : arrived) {
    Arrive(signal.to, {true, signal.from.value});
  }
  return !arrived.empty();
}

bool ReferenceEngine::StartDevices() {
  bool has_started = false;
  for (std::size_t device = 0; device < running_.size() && !report_.failure; ++device) {
    if (!running_[device] && rest_until_[device] <= now_) {
      has_started |= StartFirstThatCan(DeviceId(device));
    }
  }
  return has_started;
}

// The first in the queue that is issued and, where lack of memory is waited out, fits.
bool ReferenceEngine::StartFirstThatCan(DeviceId device) {
  const std::set<ReadyKey> in_order = ready_[device.index()];
  for (const ReadyKey& key : in_order) {
    const OpId op = std::get<OpId>(key);
    if (IssueTime(op) > now_) {
      continue;
    }
    if (memory_.Fits(device, memory_.NeededBy(op))) {
      StartOp(key);
      return true;
    }
    if (hardware_.memory.on_exceed == sim::OnExceed::kFail) {
      Fail(device, "op " + graph_.op(op).name, memory_.NeededBy(op));
      return true;
    }
  }
  return false;
}

void ReferenceEngine::StartOp(const ReadyKey& key) {
  const OpId op = std::get<OpId>(key);
  const DeviceId device = DeviceOf(op);
  ready_[device.index()].erase(key);
  running_[device.index()] = op;
  memory_.StartOp(op, now_);
  const SimTime duration = costs_.time(op, device);
  report_.ops[op.index()] = sim::OpSpan{.device = device, .start = now_, .finish = now_ + duration};
  report_.devices[device.index()].busy += duration;
}

bool ReferenceEngine::StartTransfers() {
  bool has_started = false;
  for (const std::size_t id : transfers_.Waiting()) {
    if (!transfers_.HasFreeChannels(id, now_)) {
      continue;
    }
    const ReferenceCopy& copy = copies_[id];
    const std::optional<DeviceId> full = DeviceWithoutRoom(copy);
    if (full && hardware_.memory.on_exceed == sim::OnExceed::kFail) {
      Fail(*full, CopyName(copy), copy.bytes);
      return true;
    }
    if (!full) {
      transfers_.Start(id, now_);
      memory_.StartCopy(copy, now_);
      has_started = true;
    }
  }
  return has_started;
}

std::optional<DeviceId> ReferenceEngine::DeviceWithoutRoom(const ReferenceCopy& copy) const {
  for (const DeviceId device : copy.destinations) {
    if (!memory_.Fits(device, copy.bytes)) {
      return device;
    }
  }
  return std::nullopt;
}

std::string ReferenceEngine::CopyName(const ReferenceCopy& copy) const {
  return "copy of " + graph_.op(copy.producer).name + ":" + std::to_string(copy.output_index);
}

std::optional<SimTime> ReferenceEngine::NextInstant() const {
  std::set<SimTime> instants;
  for (const std::optional<OpId>& op : running_) {
    if (op) {
      instants.insert(report_.ops[op->index()]->finish);
    }
  }
  for (std::size_t device = 0; device < running_.size(); ++device) {
    if (rest_until_[device] > now_) {
      instants.insert(rest_until_[device]);
    }
    for (const ReadyKey& key : ready_[device]) {
      if (IssueTime(std::get<OpId>(key)) > now_) {
        instants.insert(IssueTime(std::get<OpId>(key)));
      }
    }
  }
  if (const std::optional<SimTime> next = transfers_.NextInstant(now_)) {
    instants.insert(*next);
  }
  for (const ControlSignal& signal : signals_) {
    instants.insert(signal.arrival);
  }
  if (instants.empty()) {
    return std::nullopt;
  }
  return *instants.begin();
}

void ReferenceEngine::Fail(DeviceId device, const std::string& what, Bytes requested) {
  transfers_.StopAt(now_);
  report_.failure = sim::OutOfMemoryReport{.device = hardware_.devices[device.index()].name,
                                           .time = now_,
                                           .what = what,
                                           .requested = requested,
                                           .in_use = memory_.in_use(device),
                                           .capacity = hardware_.capacity(device),
                                           .largest_residents = memory_.Residents(device)};
}

}  // namespace opyard::testing
