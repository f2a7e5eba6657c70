#include "tests/support/reference_engine.h"

#include <algorithm>
#include <map>
#include <utility>

namespace opyard::testing {

// Parameters are booked at time 0 in topological order; the first that do not fit fail.
void ReferenceEngine::BookParameters() {
  const std::vector<std::int32_t> indices = TopologicalIndices(graph_);
  std::map<std::int32_t, OpId> in_order;
  for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
    in_order[indices[i]] = OpId(i);
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
    CollectNeeds(OpId(i));
  }
  for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    EnqueueIfReady(kernel);
  }
}

// Collects the needs of `op` from outside its kernel.
void ReferenceEngine::CollectNeeds(OpId op) {
  const std::size_t kernel = kernels_.Of(op);
  for (std::size_t i = 0; i < graph_.inputs(op).size(); ++i) {
    if (kernels_.Of(graph_.tensor(graph_.inputs(op)[i]).producer) != kernel) {
      missing_[kernel].insert({op, false, static_cast<std::int32_t>(i)});
    }
  }
  for (const OpId before : graph_.control_inputs(op)) {
    if (kernels_.Of(before) != kernel) {
      missing_[kernel].insert({op, true, before.value});
    }
  }
}

void ReferenceEngine::EnqueueIfReady(std::size_t kernel) {
  if (missing_[kernel].empty() && kernels_[kernel].release > now_) {
    unreleased_.insert(kernel);
  } else if (missing_[kernel].empty()) {
    ready_[kernels_[kernel].device.index()].insert({-kernels_[kernel].priority, now_, kernel});
  }
}

void ReferenceEngine::Arrive(const Need& need) {
  const std::size_t kernel = kernels_.Of(std::get<OpId>(need));
  if (missing_[kernel].erase(need) != 0) {
    EnqueueIfReady(kernel);
  }
}

// Every input of `consumer` that is `tensor`.
void ReferenceEngine::ArriveAsInput(TensorId tensor, OpId consumer) {
  for (std::size_t i = 0; i < graph_.inputs(consumer).size(); ++i) {
    if (graph_.inputs(consumer)[i] == tensor) {
      Arrive({consumer, false, static_cast<std::int32_t>(i)});
    }
  }
}

std::vector<double> ReferenceEngine::BandwidthsOfPools(const sim::HardwareProfile& hardware) {
  std::vector<double> bandwidths;
  for (const sim::MemoryPool& pool : hardware.memory_pools) {
    bandwidths.push_back(pool.bandwidth_bytes_per_s);
  }
  return bandwidths;
}

bool ReferenceEngine::Step() {
  bool has_changed = ApplyBodyEnds();
  has_changed |= ApplyBodyBegins();
  has_changed |= ApplyKernelEnds();
  has_changed |= ApplyTransferEnds();
  has_changed |= ApplySignals();
  has_changed |= ApplyReleases();
  has_changed |= StartDevices();
  if (!report_.failure) {
    has_changed |= StartTransfers();
  }
  return has_changed && !report_.failure;
}

bool ReferenceEngine::ApplyBodyEnds() {
  const std::vector<std::size_t> ended = pools_.TakeEnded(now_);
  for (const std::size_t kernel : ended) {
    with_bodies_.erase(kernel);
    SetFinish(kernel, now_);
  }
  return !ended.empty();
}

bool ReferenceEngine::ApplyBodyBegins() {
  const std::map<std::size_t, SimTime> launching = launching_;
  for (const auto& [kernel, begin] : launching) {
    if (begin <= now_) {
      const ReferenceKernel& begun = kernels_[kernel];
      const std::int32_t pool = hardware_.devices[begun.device.index()].memory_pool;
      pools_.Start(kernel, static_cast<std::size_t>(pool), begun.body, begun.demand, now_);
      launching_.erase(kernel);
    }
  }
  return launching_.size() != launching.size();
}

void ReferenceEngine::SetFinish(std::size_t kernel, SimTime finish) {
  spans_[kernel]->finish = finish;
  for (const OpId op : kernels_[kernel].ops) {
    report_.ops[op.index()] = spans_[kernel];
  }
}

bool ReferenceEngine::ApplyKernelEnds() {
  std::set<std::size_t> ended;
  for (std::size_t device = 0; device < running_.size(); ++device) {
    const std::set<std::size_t> running = running_[device];
    for (const std::size_t kernel : running) {
      if (spans_[kernel]->finish == now_ && !with_bodies_.contains(kernel)) {
        ended.insert(kernel);
        running_[device].erase(kernel);
        if (!has_parallel_streams_) {
          rest_until_[device] = now_ + GapAfter(kernel);
        }
      }
    }
  }
  for (const std::size_t kernel : ended) {
    FinishKernel(kernel);
  }
  return !ended.empty();
}

void ReferenceEngine::FinishKernel(std::size_t kernel) {
  memory_.FinishKernel(kernel);
  for (const OpId op : kernels_[kernel].ops) {
    PublishOutputs(op);
  }
}

void ReferenceEngine::PublishOutputs(OpId op) {
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

// The host has issued kernel i when it has spent i + 1 times `dispatch`.
SimTime ReferenceEngine::IssueTime(std::size_t kernel) const {
  return SimTime{(static_cast<std::int64_t>(kernel) + 1) *
                 hardware_.execution.dispatch.picoseconds};
}

SimTime ReferenceEngine::GapAfter(std::size_t kernel) const {
  const bool takes_time = kernels_[kernel].duration > SimTime{};
  return takes_time ? hardware_.execution.gap_after_op : SimTime{};
}

bool ReferenceEngine::ApplyTransferEnds() {
  const std::vector<std::size_t> ended = transfers_.TakeEnded(now_);
  for (const std::size_t id : ended) {
    const ReferenceCopy& copy = copies_[id];
    memory_.FinishCopy(copy);
    if (copy.edge) {
      Arrive({copy.edge->first, false, copy.edge->second});
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
    Arrive({signal.to, true, signal.from.value});
  }
  return !arrived.empty();
}

bool ReferenceEngine::ApplyReleases() {
  const std::set<std::size_t> waiting = std::exchange(unreleased_, {});
  for (const std::size_t kernel : waiting) {
    EnqueueIfReady(kernel);  // sets it aside again until its release
  }
  return unreleased_ != waiting;
}

bool ReferenceEngine::StartDevices() {
  bool has_started = false;
  for (std::size_t device = 0; device < running_.size() && !report_.failure; ++device) {
    while (!report_.failure && (running_[device].empty() || has_parallel_streams_) &&
           rest_until_[device] <= now_ && StartFirstThatCan(DeviceId(device))) {
      has_started = true;
    }
  }
  return has_started;
}

// True if what stands before `kernel` in its stream has started; where streams run side by side, if
// it has ended and its stream does not rest.
bool ReferenceEngine::HasTurn(std::size_t kernel) const {
  const std::optional<std::size_t> before = before_[kernel];
  if (!before) {
    return true;
  }
  if (!spans_[*before] || !has_parallel_streams_) {
    return spans_[*before].has_value();
  }
  return !running_[kernels_[*before].device.index()].contains(*before) &&
         spans_[*before]->finish + GapAfter(*before) <= now_;
}

// The first in the queue that is issued and, where lack of memory is waited out, fits.
bool ReferenceEngine::StartFirstThatCan(DeviceId device) {
  const std::set<ReadyKey> in_order = ready_[device.index()];
  for (const ReadyKey& key : in_order) {
    const std::size_t kernel = std::get<std::size_t>(key);
    if (IssueTime(kernel) > now_ || !HasTurn(kernel)) {
      continue;
    }
    if (memory_.Fits(device, memory_.NeededBy(kernel))) {
      StartKernel(key);
      return true;
    }
    if (hardware_.memory.on_exceed == sim::OnExceed::kFail) {
      Fail(device, "op " + kernels_[kernel].name, memory_.NeededBy(kernel));
      return true;
    }
  }
  return false;
}

void ReferenceEngine::StartKernel(const ReadyKey& key) {
  const std::size_t kernel = std::get<std::size_t>(key);
  const ReferenceKernel& started = kernels_[kernel];
  ready_[started.device.index()].erase(key);
  running_[started.device.index()].insert(kernel);
  memory_.StartKernel(kernel, now_);
  spans_[kernel] =
      sim::OpSpan{.device = started.device, .start = now_, .finish = now_ + started.duration};
  SetFinish(kernel, now_ + started.duration);
  if (started.body > SimTime{}) {
    with_bodies_.insert(kernel);
    launching_[kernel] = now_ + started.duration - started.body;
  }
}

bool ReferenceEngine::StartTransfers() {
  bool has_started = false;
  for (const std::size_t id : transfers_.Waiting()) {
    if (!transfers_.HasFreeChannels(id, now_) || !transfers_.HasTurn(id)) {
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
  std::map<std::int32_t, Bytes> into_pool;
  for (const DeviceId device : copy.destinations) {
    const std::int32_t pool = hardware_.devices[device.index()].memory_pool;
    into_pool[pool] = pool < 0 ? copy.bytes : into_pool[pool] + copy.bytes;
    if (!memory_.Fits(device, into_pool[pool])) {
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
  for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    const std::optional<sim::OpSpan>& span = spans_[kernel];
    if (span && span->finish > now_ && !with_bodies_.contains(kernel)) {
      instants.insert(span->finish);
    }
  }
  for (const auto& [kernel, begin] : launching_) {
    instants.insert(begin);
  }
  if (const std::optional<SimTime> next = pools_.NextEnd()) {
    instants.insert(*next);
  }
  for (std::size_t kernel = 0; has_parallel_streams_ && kernel < kernels_.size(); ++kernel) {
    if (spans_[kernel] && !with_bodies_.contains(kernel) &&
        spans_[kernel]->finish + GapAfter(kernel) > now_) {
      instants.insert(spans_[kernel]->finish + GapAfter(kernel));
    }
  }
  for (std::size_t device = 0; device < running_.size(); ++device) {
    if (rest_until_[device] > now_) {
      instants.insert(rest_until_[device]);
    }
    for (const ReadyKey& key : ready_[device]) {
      if (IssueTime(std::get<std::size_t>(key)) > now_) {
        instants.insert(IssueTime(std::get<std::size_t>(key)));
      }
    }
  }
  for (const std::size_t kernel : unreleased_) {
    instants.insert(kernels_[kernel].release);
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
  for (const std::size_t kernel : with_bodies_) {
    SetFinish(kernel, std::max(spans_[kernel]->finish, now_));
  }
  report_.failure = sim::OutOfMemoryReport{.device = hardware_.devices[device.index()].name,
                                           .time = now_,
                                           .what = what,
                                           .requested = requested,
                                           .in_use = memory_.in_use_beside(device),
                                           .capacity = hardware_.capacity(device),
                                           .largest_residents = memory_.Residents(device)};
}

}  // namespace opyard::testing
