#include "tests/support/reference_simulator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "sim/hardware/routes.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_memory.h"

namespace opyard::testing {
namespace {

using sim::HardwareProfile;
using sim::OpGraph;
using sim::Plan;

void RefuseWhatIsNotCovered(const HardwareProfile& hardware, const Plan& plan) {
  const bool is_covered =
      hardware.rules == sim::Rules::kOpyard && hardware.transfers.sharing != sim::Sharing::kFair &&
      hardware.transfers.one_per == sim::OnePer::kDestination &&
      hardware.transfers.gap_after == SimTime{} && hardware.execution.dispatch == SimTime{} &&
      hardware.execution.gap_after_op == SimTime{} &&
      hardware.memory.on_exceed != sim::OnExceed::kWait && plan.fusion_priority.empty();
  if (!is_covered) {
    throw std::invalid_argument("the reference simulator does not cover these rules");
  }
}

// One run. Time moves from instant to instant; at each, completions are applied, then devices start
// their next op, then transfers start, and again until nothing changes.
class ReferenceEngine {
 public:
  ReferenceEngine(const OpGraph& graph,
                  const HardwareProfile& hardware,
                  const sim::CostTable& costs,
                  const Plan& plan)
      : graph_(graph),
        hardware_(hardware),
        costs_(costs),
        plan_(plan),
        routes_(hardware),
        indices_(TopologicalIndices(graph)),
        copies_(FindCopies(graph, hardware, routes_, plan)),
        memory_(graph, hardware, plan, copies_),
        missing_(graph.num_ops()),
        ready_(hardware.num_devices()),
        running_(hardware.num_devices()) {
    report_.ops.resize(graph.num_ops());
    report_.devices.resize(hardware.num_devices());
  }

  ReferenceRun Run();

 private:
  // Something that an op waits for: a tensor, or (true) the end of an op.
  using Need = std::pair<bool, std::int32_t>;
  // Order in a ready queue: −priority (0 under FIFO), ready time, kernel index; then the op.
  using ReadyKey = std::tuple<std::int64_t, SimTime, std::int32_t, OpId>;
  // Order of waiting transfers: −priority, offer time, producer, output, destination; then the
  // copy.
  using WaitingKey =
      std::tuple<std::int64_t, SimTime, std::int32_t, std::int32_t, DeviceId, std::size_t>;
  struct ControlSignal {
    SimTime arrival;
    OpId from;
    OpId to;
  };

  void BookParameters();
  void QueueSources();
  bool Step();
  bool ApplyKernelEnds();
  bool ApplyTransferEnds();
  bool ApplySignals();
  bool StartDevices();
  bool StartTransfers();
  [[nodiscard]] std::optional<SimTime> NextInstant() const;

  void FinishOp(OpId op);
  void Arrive(OpId op, const Need& need);
  void EnqueueIfReady(OpId op);
  void StartOp(OpId op);
  void StartCopy(std::size_t copy, SimTime offered);
  void Fail(DeviceId device, const std::string& what, Bytes requested);
  void Summarize();
  [[nodiscard]] DeviceId DeviceOf(OpId op) const { return plan_.placement[op.index()]; }

  const OpGraph& graph_;
  const HardwareProfile& hardware_;
  const sim::CostTable& costs_;
  const Plan& plan_;
  sim::RouteTable routes_;
  std::vector<std::int32_t> indices_;
  std::vector<ReferenceCopy> copies_;
  ReferenceMemory memory_;

  SimTime now_;
  std::vector<std::set<Need>> missing_;       // [num_ops]
  std::vector<std::set<ReadyKey>> ready_;     // [num_devices]
  std::vector<std::optional<OpId>> running_;  // [num_devices]
  std::set<WaitingKey> waiting_;
  std::vector<std::pair<WaitingKey, SimTime>> moving_;  // with their finish
  std::vector<ControlSignal> signals_;
  std::set<std::string> busy_channels_;
  std::map<std::string, sim::ChannelReport> channels_;
  sim::SimReport report_;
};

ReferenceRun ReferenceEngine::Run() {
  QueueSources();
  BookParameters();
  while (!report_.failure) {
    while (Step()) {
    }
    const std::optional<SimTime> next = NextInstant();
    if (report_.failure || !next) {
      break;
    }
    now_ = *next;
  }
  Summarize();
  ReferenceRun run{.report = report_};
  for (std::size_t device = 0; device < hardware_.num_devices(); ++device) {
    run.in_use_at_end.push_back(memory_.in_use(DeviceId(device)));
  }
  return run;
}

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
    for (const TensorId input : graph_.inputs(OpId(i))) {
      missing_[i].insert({false, input.value});
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
        Arrive(consumer, {false, tensor.value});
      }
    }
  }
  for (const OpId follower : graph_.control_consumers(op)) {
    SimTime arrival = now_;
    if (DeviceOf(follower) != DeviceOf(op)) {
      arrival += routes_.Find(DeviceOf(op), DeviceOf(follower))->latency;
    }
    signals_.push_back({arrival, op, follower});
  }
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const ReferenceCopy& copy = copies_[i];
    if (copy.producer == op) {
      waiting_.insert({-copy.priority, now_, copy.producer_index, copy.output_index, copy.dst, i});
    }
  }
}

bool ReferenceEngine::ApplyTransferEnds() {
  std::set<WaitingKey> ended;
  std::erase_if(moving_, [&](const auto& transfer) {
    return transfer.second == now_ && ended.insert(transfer.first).second;
  });
  for (const WaitingKey& key : ended) {
    const ReferenceCopy& copy = copies_[std::get<std::size_t>(key)];
    for (const std::string& channel : copy.channels) {
      busy_channels_.erase(channel);
    }
    memory_.FinishCopy(copy);
    for (const OpId consumer : copy.consumers) {
      Arrive(consumer, {false, copy.tensor.value});
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
    if (!running_[device] && !ready_[device].empty()) {
      StartOp(std::get<OpId>(*ready_[device].begin()));
      has_started = true;
    }
  }
  return has_started;
}

void ReferenceEngine::StartOp(OpId op) {
  const DeviceId device = DeviceOf(op);
  if (!memory_.Fits(device, memory_.NeededBy(op))) {
    Fail(device, "op " + graph_.op(op).name, memory_.NeededBy(op));
    return;
  }
  ready_[device.index()].erase(ready_[device.index()].begin());
  running_[device.index()] = op;
  memory_.StartOp(op, now_);
  const SimTime duration = costs_.time(op, device);
  report_.ops[op.index()] = sim::OpSpan{.device = device, .start = now_, .finish = now_ + duration};
  report_.devices[device.index()].busy += duration;
}

bool ReferenceEngine::StartTransfers() {
  bool has_started = false;
  const std::set<WaitingKey> in_order = waiting_;
  for (const WaitingKey& key : in_order) {
    const std::size_t copy = std::get<std::size_t>(key);
    const bool is_blocked = std::ranges::any_of(copies_[copy].channels, [&](const auto& channel) {
      return busy_channels_.contains(channel);
    });
    if (is_blocked) {
      continue;
    }
    const ReferenceCopy& found = copies_[copy];
    if (!memory_.Fits(found.dst, found.bytes)) {
      const std::string& producer = graph_.op(found.producer).name;
      Fail(
          found.dst, "copy of " + producer + ":" + std::to_string(found.output_index), found.bytes);
      return true;
    }
    waiting_.erase(key);
    moving_.emplace_back(key, now_ + found.duration);
    StartCopy(copy, std::get<SimTime>(key));
    has_started = true;
  }
  return has_started;
}

void ReferenceEngine::StartCopy(std::size_t copy, SimTime offered) {
  const ReferenceCopy& started = copies_[copy];
  memory_.StartCopy(started, now_);
  for (const std::string& name : started.channels) {
    busy_channels_.insert(name);
    sim::ChannelReport& channel = channels_[name];
    channel.name = name;
    channel.busy += started.duration;
    channel.bytes += started.bytes;
  }
  report_.transfers.push_back({.tensor = started.tensor,
                               .src = started.src,
                               .dst = started.dst,
                               .offered = offered,
                               .start = now_,
                               .finish = now_ + started.duration});
}

std::optional<SimTime> ReferenceEngine::NextInstant() const {
  std::set<SimTime> instants;
  for (const std::optional<OpId>& op : running_) {
    if (op) {
      instants.insert(report_.ops[op->index()]->finish);
    }
  }
  for (const auto& [key, finish] : moving_) {
    instants.insert(finish);
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
  report_.failure = sim::OutOfMemoryReport{.device = hardware_.devices[device.index()].name,
                                           .time = now_,
                                           .what = what,
                                           .requested = requested,
                                           .in_use = memory_.in_use(device),
                                           .capacity = hardware_.capacity(device),
                                           .largest_residents = memory_.Residents(device)};
}

void ReferenceEngine::Summarize() {
  sim::SimResult& result = report_.result;
  result.outcome = report_.failure ? sim::Outcome::kOutOfMemory : sim::Outcome::kCompleted;
  for (const std::optional<sim::OpSpan>& span : report_.ops) {
    if (!span && !report_.failure) {
      throw std::logic_error("an op never ran");
    }
    result.makespan = span ? std::max(result.makespan, span->finish) : result.makespan;
  }
  for (const sim::TransferSpan& transfer : report_.transfers) {
    result.makespan = std::max(result.makespan, transfer.finish);
  }
  result.makespan = report_.failure ? now_ : result.makespan;
  result.num_transfers = static_cast<std::int64_t>(copies_.size());
  for (std::size_t i = 0; i < hardware_.num_devices(); ++i) {
    const DeviceId id(i);
    sim::DeviceReport& device = report_.devices[i];
    device.name = hardware_.devices[i].name;
    device.idle_no_ready_work = result.makespan - device.busy;
    device.peak_memory = memory_.peak(id);
    device.peak_instant = memory_.peak_instant(id);
    device.capacity = hardware_.capacity(id);
    device.resident = memory_.resident(id);
    result.peak_memory = std::max(result.peak_memory, device.peak_memory);
  }
  for (const auto& [name, channel] : channels_) {
    report_.channels.push_back(channel);
  }
}

}  // namespace

ReferenceRun SimulateSlowly(const OpGraph& graph,
                            const HardwareProfile& hardware,
                            const sim::CostTable& costs,
                            const Plan& plan) {
  RefuseWhatIsNotCovered(hardware, plan);
  return ReferenceEngine(graph, hardware, costs, plan).Run();
}

}  // namespace opyard::testing
