#include "sim/engine/execution.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/plan/validate.h"

namespace opyard::sim {
namespace {

std::size_t At(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

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
    if (!StartOps() || !StartTransfers()) {
      return Result(Outcome::kOutOfMemory);
    }
    if (w_.events.empty()) {
      return Result(Outcome::kCompleted);
    }
    ApplyCompletions();
  }
}

SimResult Execution::Result(Outcome outcome) const {
  SimResult result{.outcome = outcome,
                   .makespan = SimTime{now_ps_},
                   .num_transfers = static_cast<std::int64_t>(w_.transfers.size())};
  for (const MemoryLedger::Account& account : w_.memory.accounts()) {
    result.peak_memory = std::max(result.peak_memory, Bytes{account.peak});
  }
  return result;
}

bool Execution::StartOps() {
  for (std::size_t d = 0; d < p_.num_devices; ++d) {
    if (w_.running[d] == Workspace::kNone && !w_.ready.empty(d)) {
      if (!StartOp(w_.ready.Pop(d).op(), d)) {
        return false;
      }
    }
  }
  return true;
}

bool Execution::StartOp(std::int32_t op, std::size_t device) {
  const std::int64_t bytes = p_.ops[At(op)].start_bytes;
  const auto device_id = static_cast<std::int32_t>(device);
  if (!w_.memory.Allocate(device, bytes, now_ps_)) {
    RecordFailure({.what = FailedAllocation::What::kOp,
                   .subject = op,
                   .device = device_id,
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

void Execution::ApplyCompletions() {
  instant_ += w_.events.next_ps() != now_ps_ ? 1 : 0;
  now_ps_ = w_.events.next_ps();
  while (!w_.events.empty() && w_.events.next_ps() == now_ps_) {
    const Event event = w_.events.Pop();
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
    }
  }
}

void Execution::FinishOp(std::int32_t op) {
  const std::int32_t device_id = w_.device[At(op)];
  const std::size_t device = At(device_id);
  w_.running[device] = Workspace::kNone;
  w_.memory.Free(device, p_.ops[At(op)].workspace_bytes);
  for (std::int32_t t = p_.ops[At(op)].first_output; t < p_.ops[At(op) + 1].first_output; ++t) {
    PublishOutput(t, device_id);
  }
  SignalControl(op, device_id);
  ReleaseInputs(op, device);
}

void Execution::PublishOutput(std::int32_t tensor, std::int32_t device) {
  const LoweredTensor& output = p_.tensors[At(tensor)];
  std::int32_t storage = tensor;
  if (output.alias == Alias::kInput) {
    storage = w_.storage_of_edge[At(output.alias_edge)];
  } else if (output.alias == Alias::kParams) {
    storage = Workspace::kNone;
  }
  w_.storage_of_tensor[At(tensor)] = storage;
  const std::size_t first_slot = w_.transfers.size();
  const std::int32_t local_readers = Distribute(tensor, device);
  OfferTransfers(tensor, device);
  const auto copies = static_cast<std::int32_t>(w_.transfers.size() - first_slot);
  HoldStorage(tensor, local_readers + copies + (output.keep ? 1 : 0), device);
}

std::int32_t Execution::Distribute(std::int32_t tensor, std::int32_t device) {
  const std::int32_t end = p_.tensors[At(tensor) + 1].first_consumer;
  std::int32_t readers = 0;
  for (std::int32_t edge = p_.tensors[At(tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = p_.consumers[At(edge)];
    const std::int32_t destination = w_.device[At(consumer)];
    if (destination == device) {
      w_.storage_of_edge[At(edge)] = w_.storage_of_tensor[At(tensor)];
      CountDown(consumer);
      ++readers;
      continue;
    }
    std::int32_t& slot = w_.slot_of_device[At(destination)];
    if (slot == Workspace::kNone) {
      slot = static_cast<std::int32_t>(w_.transfers.size());
      w_.touched_devices.push_back(destination);
      w_.transfers.push_back({.tensor = tensor,
                              .src = device,
                              .dst = destination,
                              .negated_priority = w_.negated_priority[At(consumer)]});
    }
    ActiveTransfer& transfer = w_.transfers[At(slot)];
    ++transfer.num_readers;
    transfer.negated_priority =
        std::min(transfer.negated_priority, w_.negated_priority[At(consumer)]);
  }
  return readers;
}

void Execution::OfferTransfers(std::int32_t tensor, std::int32_t src) {
  for (const std::int32_t dst : w_.touched_devices) {
    const std::int32_t slot = w_.slot_of_device[At(dst)];
    w_.slot_of_device[At(dst)] = Workspace::kNone;
    ActiveTransfer& transfer = w_.transfers[At(slot)];
    transfer.negated_priority = NegatedTransferPriority(tensor, dst, transfer.negated_priority);
    transfer.duration_ps = p_.TransferTime(p_.route(src, dst), p_.tensors[At(tensor)].bytes);
    const std::size_t pair = At(src) * p_.num_devices + At(dst);
    w_.waiting.Push(pair, {transfer.negated_priority, instant_, tensor, slot});
    InsertBit(w_.candidate_pairs, pair);
    if (recorder_ != nullptr) {
      recorder_->transfers.push_back({.tensor = TensorId(At(tensor)),
                                      .src = DeviceId(At(src)),
                                      .dst = DeviceId(At(dst)),
                                      .offered = SimTime{now_ps_}});
    }
  }
  w_.touched_devices.clear();
}

void Execution::HoldStorage(std::int32_t tensor, std::int32_t holders, std::int32_t device) {
  const std::int32_t storage = w_.storage_of_tensor[At(tensor)];
  if (storage == Workspace::kNone) {
    return;
  }
  w_.holders[At(storage)] += holders;
  if (w_.holders[At(storage)] == 0) {
    w_.memory.Free(At(device), BytesOfStorage(storage));
  }
}

void Execution::SignalControl(std::int32_t op, std::int32_t device) {
  const std::int32_t end = p_.ops[At(op) + 1].first_control;
  for (std::int32_t i = p_.ops[At(op)].first_control; i < end; ++i) {
    const std::int32_t consumer = p_.control_consumers[At(i)];
    const std::int32_t destination = w_.device[At(consumer)];
    const std::int64_t latency =
        destination == device ? 0 : p_.route(device, destination).latency_ps;
    if (latency == 0) {
      CountDown(consumer);
    } else {
      w_.events.Push({now_ps_ + latency, EventKind::kControlArrived, consumer});
    }
  }
}

void Execution::ReleaseInputs(std::int32_t op, std::size_t device) {
  const std::int32_t end = p_.ops[At(op) + 1].first_input;
  for (std::int32_t i = p_.ops[At(op)].first_input; i < end; ++i) {
    Release(w_.storage_of_edge[At(p_.input_edges[At(i)])], device);
  }
}

// A zero count means that an input has just arrived or that the op never had one.
void Execution::CountDown(std::int32_t op) {
  std::int32_t& pending = w_.pending[At(op)];
  pending -= pending > 0 ? 1 : 0;
  if (pending == 0) {
    w_.ready.Push(At(w_.device[At(op)]), {w_.negated_priority[At(op)], instant_, op});
  }
}

void Execution::Release(std::int32_t storage, std::size_t device) {
  if (storage != Workspace::kNone && --w_.holders[At(storage)] == 0) {
    w_.memory.Free(device, BytesOfStorage(storage));
  }
}

std::int64_t Execution::BytesOfStorage(std::int32_t storage) const {
  const std::size_t s = At(storage);
  const std::size_t tensor = s < p_.num_tensors ? s : At(w_.transfers[s - p_.num_tensors].tensor);
  return p_.tensors[tensor].bytes;
}

void Execution::RecordFailure(const FailedAllocation& failure) {
  if (recorder_ != nullptr) {
    recorder_->failure = failure;
  }
}

}  // namespace opyard::sim
