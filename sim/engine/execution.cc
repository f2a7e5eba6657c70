#include "sim/engine/execution.h"

#include <algorithm>

#include "sim/engine/array_index.h"

namespace opyard::sim {

SimResult Execution::Execute() {
  Place();
  Prioritise();
  Reset();
  SizeQueues();
  SpreadTransferPriorities();
  if (!AllocateParams()) {
    return Result(Outcome::kOutOfMemory);
  }
  for (std::size_t k = 0; k < p_.num_ops; ++k) {
    if (w_.pending[k] == 0) {
      CountDown(static_cast<std::int32_t>(k));
    }
  }
  while (true) {
    const bool goes_on = StartOps() && StartTransfers();
    // Once all is done, rests that do not count belong to no one's time.
    if (recorder_ != nullptr && !(IsAllDone() && now_ps_ > end_ps_)) {
      recorder_->NoteDevices(p_, w_, now_ps_);
    }
    if (!goes_on) {
      return Result(Outcome::kOutOfMemory);
    }
    if (NextInstant() == FairFlows::kNever) {
      return Result(IsAllDone() ? Outcome::kCompleted : Outcome::kDeadlock);
    }
    ApplyCompletions();
  }
}

SimResult Execution::Result(Outcome outcome) const {
  SimResult result{.outcome = outcome,
                   .makespan = SimTime{outcome == Outcome::kCompleted ? end_ps_ : now_ps_},
                   .num_transfers = num_transfers_};
  for (const MemoryLedger::Account& account : w_.memory.accounts()) {
    result.peak_memory = std::max(result.peak_memory, Bytes{account.peak});
  }
  return result;
}

std::int64_t Execution::NextInstant() {
  const std::int64_t event_ps = w_.events.empty() ? FairFlows::kNever : w_.events.next_ps();
  return p_.sharing == Sharing::kFair ? std::min(event_ps, w_.flows.NextEnd(now_ps_)) : event_ps;
}

void Execution::ApplyCompletions() {
  const std::int64_t next_ps = NextInstant();
  instant_ += next_ps != now_ps_ ? 1 : 0;
  now_ps_ = next_ps;
  while (!w_.events.empty() && w_.events.next_ps() == now_ps_) {
    Apply(w_.events.Pop());
  }
  if (p_.sharing == Sharing::kFair) {
    while (const std::optional<std::int32_t> slot = w_.flows.PopEnded(now_ps_)) {
      FinishTransfer(*slot);
    }
  }
}

void Execution::Apply(const Event& event) {
  switch (event.kind()) {
    case EventKind::kOpDone:
      FinishOp(event.subject());
      break;
    case EventKind::kTransferDone:
      FinishTransfer(event.subject());
      break;
    case EventKind::kControlArrived:
      CountDown(event.subject());
      break;
    case EventKind::kOpIssued:
      --w_.num_unissued[At(w_.device[At(event.subject())])];
      Enqueue(event.subject(), w_.ready_instant[At(event.subject())]);
      break;
    case EventKind::kDeviceRested:
      w_.running[At(event.subject())] = Workspace::kNone;
      end_ps_ = p_.trailing_gaps_count ? now_ps_ : end_ps_;
      break;
    case EventKind::kChannelsRested:
      FreeChannels(event.subject());
      end_ps_ = p_.trailing_gaps_count ? now_ps_ : end_ps_;
      break;
    case EventKind::kFlowBegins:
      BeginFlow(event.subject());
      break;
  }
}

bool Execution::StartOps() {
  for (std::size_t d = 0; d < p_.num_devices; ++d) {
    if (w_.running[d] != Workspace::kNone || w_.ready.empty(d)) {
      continue;
    }
    const bool goes_on =
        p_.waits_for_memory ? StartFirstThatFits(d) : StartOp(w_.ready.Pop(d).op(), d);
    if (!goes_on) {
      return false;
    }
  }
  return true;
}

// Ops that do not fit are set aside and queued again: they keep their place. Always true.
bool Execution::StartFirstThatFits(std::size_t device) {
  if (w_.is_stalled[device] != 0) {
    return true;
  }
  w_.set_aside.clear();
  bool has_started = false;
  while (!has_started && !w_.ready.empty(device)) {
    const ReadyOp next = w_.ready.Pop(device);
    if (w_.memory.Fits(device, p_.ops[At(next.op())].start_bytes)) {
      has_started = StartOp(next.op(), device);
    } else {
      w_.set_aside.push_back(next);
    }
  }
  for (const ReadyOp& op : w_.set_aside) {
    w_.ready.Push(device, op);
  }
  w_.is_stalled[device] = has_started ? 0 : 1;
  return true;
}

bool Execution::StartOp(std::int32_t op, std::size_t device) {
  const std::int64_t bytes = p_.ops[At(op)].start_bytes;
  if (!w_.memory.Allocate(device, bytes, now_ps_)) {
    RecordFailure({.what = FailedAllocation::What::kOp,
                   .subject = op,
                   .device = static_cast<std::int32_t>(device),
                   .time_ps = now_ps_,
                   .bytes = bytes});
    return false;
  }
  const std::int64_t duration = p_.duration_ps[At(op) * p_.num_devices + device];
  w_.running[device] = op;
  w_.device_busy_ps[device] += duration;
  w_.events.Push({now_ps_ + duration, EventKind::kOpDone, op});
  if (recorder_ != nullptr) {
    recorder_->ops[At(op)] =
        OpSpan{DeviceId(device), SimTime{now_ps_}, SimTime{now_ps_ + duration}};
  }
  return true;
}

void Execution::FinishOp(std::int32_t op) {
  const std::int32_t device_id = w_.device[At(op)];
  const std::size_t device = At(device_id);
  const bool takes_time = p_.duration_ps[At(op) * p_.num_devices + device] > 0;
  w_.running[device] = Workspace::kNone;
  if (p_.gap_after_op_ps > 0 && takes_time) {
    w_.running[device] = Workspace::kResting;
    w_.events.Push({now_ps_ + p_.gap_after_op_ps, EventKind::kDeviceRested, device_id});
  }
  end_ps_ = now_ps_;
  ++num_done_;
  FreeBytes(device, p_.ops[At(op)].workspace_bytes);
  for (std::int32_t t = p_.ops[At(op)].first_output; t < p_.ops[At(op) + 1].first_output; ++t) {
    PublishOutput(t, device_id);
  }
  SignalControl(op, device_id);
  ReleaseInputs(op, device);
}

void Execution::ReleaseInputs(std::int32_t op, std::size_t device) {
  const std::int32_t end = p_.ops[At(op) + 1].first_input;
  for (std::int32_t i = p_.ops[At(op)].first_input; i < end; ++i) {
    const std::int32_t edge = p_.input_edges[At(i)];
    const std::int32_t storage = w_.storage_of_edge[At(edge)];
    const bool is_copy = storage >= static_cast<std::int32_t>(p_.num_tensors);
    const bool is_own = p_.one_per == OnePer::kEdge && is_copy &&
                        w_.transfers[At(storage) - p_.num_tensors].edge == edge;
    const std::int32_t num_copies = is_own ? p_.edge_uses[At(edge)] : 1;
    for (std::int32_t copy = 0; copy < num_copies; ++copy) {
      Release(storage + copy, device);
    }
  }
}

// A zero count means that an input has just arrived or that the op never had one.
void Execution::CountDown(std::int32_t op) {
  std::int32_t& pending = w_.pending[At(op)];
  pending -= pending > 0 ? 1 : 0;
  if (pending > 0) {
    return;
  }
  const std::int64_t issued_ps = p_.dispatch_ps * (op + 1);
  if (issued_ps > now_ps_) {
    w_.ready_instant[At(op)] = instant_;
    ++w_.num_unissued[At(w_.device[At(op)])];
    w_.events.Push({issued_ps, EventKind::kOpIssued, op});
    return;
  }
  Enqueue(op, instant_);
}

void Execution::Enqueue(std::int32_t op, std::uint32_t ready_instant) {
  const std::size_t device = At(w_.device[At(op)]);
  w_.ready.Push(device, {w_.negated_priority[At(op)], ready_instant, op});
  w_.is_stalled[device] = 0;
}

}  // namespace opyard::sim
