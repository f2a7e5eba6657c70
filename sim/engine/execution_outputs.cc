// The part of Execution that passes on what a finished op has made.
#include <algorithm>
#include <limits>

#include "sim/engine/array_index.h"
#include "sim/engine/execution.h"

namespace opyard::sim {

void Execution::PublishOutput(std::int32_t tensor, std::int32_t device) {
  const LoweredTensor& output = p_.tensors[At(tensor)];
  std::int32_t storage = tensor;
  if (output.alias == Alias::kInput) {
    storage = w_.storage_of_edge[At(output.alias_edge)];
  } else if (output.alias == Alias::kParams) {
    storage = Workspace::kNone;
  }
  w_.storage_of_tensor[At(tensor)] = storage;
  const std::int32_t local_readers = Distribute(tensor, device);
  const std::int32_t transfers =
      p_.one_per == OnePer::kEdge ? OfferToEdges(tensor, device) : OfferToDevices(tensor, device);
  HoldStorage(tensor, local_readers + transfers + (output.keep ? 1 : 0), device);
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
    } else {
      NoteRemoteReader(edge, destination);
    }
  }
  return readers;
}

void Execution::NoteRemoteReader(std::int32_t edge, std::int32_t destination) {
  const std::int64_t negated_priority = w_.negated_priority[At(p_.consumers[At(edge)])];
  std::int64_t& priority = w_.remote_priority[At(destination)];
  if (w_.remote_readers[At(destination)]++ == 0) {
    w_.touched_devices.push_back(destination);
    priority = negated_priority;
  }
  priority = std::min(priority, negated_priority);
}

std::int32_t Execution::OfferToDevices(std::int32_t tensor, std::int32_t src) {
  if (w_.touched_devices.empty()) {
    return 0;
  }
  const bool is_joint = p_.one_per == OnePer::kOutput;
  std::ranges::sort(w_.touched_devices);
  const auto first = static_cast<std::int32_t>(w_.transfers.size());
  const auto num_devices = static_cast<std::int32_t>(w_.touched_devices.size());
  std::int64_t joint_priority = std::numeric_limits<std::int64_t>::max();
  std::int64_t joint_duration = 0;
  for (const std::int32_t dst : w_.touched_devices) {
    const std::int64_t duration = p_.TransferTime(p_.route(src, dst), p_.tensors[At(tensor)].bytes);
    const std::int64_t priority = NegatedTransferPriority(tensor, dst, w_.remote_priority[At(dst)]);
    const auto slot = static_cast<std::int32_t>(w_.transfers.size());
    w_.transfers.push_back({.tensor = tensor,
                            .src = src,
                            .dst = dst,
                            .num_readers = w_.remote_readers[At(dst)],
                            .duration_ps = duration});
    w_.remote_readers[At(dst)] = 0;
    joint_priority = std::min(joint_priority, priority);
    joint_duration = std::max(joint_duration, duration);
    if (!is_joint) {
      Offer(slot, priority);
    }
  }
  w_.touched_devices.clear();
  if (is_joint) {
    w_.transfers[At(first)].num_copies = num_devices;
    w_.transfers[At(first)].duration_ps = joint_duration;
    Offer(first, joint_priority);
  }
  return is_joint ? 1 : num_devices;
}

std::int32_t Execution::OfferToEdges(std::int32_t tensor, std::int32_t src) {
  for (const std::int32_t dst : w_.touched_devices) {
    w_.remote_readers[At(dst)] = 0;
  }
  w_.touched_devices.clear();
  const std::int32_t end = p_.tensors[At(tensor) + 1].first_consumer;
  std::int32_t num_transfers = 0;
  for (std::int32_t edge = p_.tensors[At(tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = p_.consumers[At(edge)];
    const std::int32_t dst = w_.device[At(consumer)];
    if (dst == src) {
      continue;
    }
    w_.storage_of_edge[At(edge)] = static_cast<std::int32_t>(p_.num_tensors + w_.transfers.size());
    w_.pending[At(consumer)] += p_.edge_uses[At(edge)] - 1;
    for (std::int32_t use = 0; use < p_.edge_uses[At(edge)]; ++use) {
      const auto slot = static_cast<std::int32_t>(w_.transfers.size());
      w_.transfers.push_back(
          {.tensor = tensor,
           .src = src,
           .dst = dst,
           .num_readers = 1,
           .edge = edge,
           .duration_ps = p_.TransferTime(p_.route(src, dst), p_.tensors[At(tensor)].bytes)});
      Offer(slot, NegatedTransferPriority(tensor, dst, w_.negated_priority[At(consumer)]));
      ++num_transfers;
    }
  }
  return num_transfers;
}

void Execution::Offer(std::int32_t slot, std::int64_t negated_priority) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  const WaitingTransfer waiting(negated_priority, instant_, transfer.tensor, slot);
  ++num_transfers_;
  if (scans_) {
    const auto is_before = [this](const WaitingTransfer& a, const WaitingTransfer& b) {
      const std::int32_t dst_a = w_.transfers[At(a.slot)].dst;
      const std::int32_t dst_b = w_.transfers[At(b.slot)].dst;
      return a.key == b.key && dst_a != dst_b ? dst_a < dst_b : a < b;
    };
    w_.scanned.insert(std::ranges::upper_bound(w_.scanned, waiting, is_before), waiting);
    must_scan_ = true;
  } else {
    w_.waiting.Push(PairOf(slot), waiting);
    InsertBit(w_.candidate_pairs, PairOf(slot));
  }
  if (recorder_ != nullptr) {
    recorder_->transfers.resize(w_.transfers.size());
    recorder_->transfers[At(slot)] = {.tensor = TensorId(At(transfer.tensor)),
                                      .src = DeviceId(At(transfer.src)),
                                      .dst = DeviceId(At(transfer.dst)),
                                      .offered = SimTime{now_ps_}};
  }
}

std::int64_t Execution::NegatedTransferPriority(std::int32_t tensor,
                                                std::int32_t dst,
                                                std::int64_t derived) const {
  if (plan_.transfer_priority.empty()) {
    return derived;
  }
  const std::size_t entry = At(tensor) * p_.num_devices + At(dst);
  return w_.has_tensor_priority[entry] != 0 ? -w_.tensor_priority[entry] : derived;
}

void Execution::HoldStorage(std::int32_t tensor, std::int32_t holders, std::int32_t device) {
  const std::int32_t storage = w_.storage_of_tensor[At(tensor)];
  if (storage == Workspace::kNone) {
    return;
  }
  w_.holders[At(storage)] += holders;
  if (w_.holders[At(storage)] == 0) {
    FreeBytes(At(device), BytesOfStorage(storage));
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

}  // namespace opyard::sim
