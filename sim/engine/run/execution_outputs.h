// The part of Execution that passes on what a finished kernel has made. For execution.cc alone.
#pragma once

#include <algorithm>
#include <limits>

#include "sim/base/array_index.h"
#include "sim/engine/queues/select.h"
#include "sim/engine/run/execution.h"

namespace opyard::sim {

template <EngineParts kParts>
void Execution<kParts>::PublishOutput(std::int32_t tensor, std::int32_t device, bool is_alone) {
  if (is_placeto()) {
    PublishForPlaceto(tensor, device);
    return;
  }
  const KernelTensor& output = g_.tensors[At(tensor)];
  const std::int32_t storage = StorageOf(tensor);
  std::int32_t num_holders = Distribute(tensor, storage, device) + (output.keep ? 1 : 0);
  if (!IsEmpty(ConstBits(View(w_.touched_devices)))) {
    const ActiveTransfer common{
        .tensor = tensor, .source_storage = storage, .src = static_cast<std::int16_t>(device)};
    num_holders += is_alone && starts_at_once() ? StartAtOnce(common) : 0;
    num_holders += OfferTransfers(common);
  }
  Storage& held = w_.storages[At(storage)];
  if (output.alias == Alias::kNone) [[likely]] {
    held = {.bytes = output.bytes, .num_holders = num_holders};
  } else {
    held.num_holders += num_holders;
  }
  if (held.num_holders == 0) {
    FreeBytes(At(device), held.bytes);
  }
}

template <EngineParts kParts>
std::int32_t Execution<kParts>::StorageOf(std::int32_t tensor) {
  const KernelTensor& output = g_.tensors[At(tensor)];
  if (output.alias == Alias::kNone) [[likely]] {
    return tensor;
  }
  if (output.alias == Alias::kParams) {
    return static_cast<std::int32_t>(w_.storages.size() - 1);
  }
  return output.alias_edge >= 0 ? w_.storage_of_edge[At(output.alias_edge)] : output.alias_tensor;
}

// Whether a reader is local is a coin toss, so nothing branches on it alone.
template <EngineParts kParts>
std::int32_t Execution<kParts>::Distribute(std::int32_t tensor,
                                           std::int32_t storage,
                                           std::int32_t device) {
  const std::int32_t end = g_.tensors[At(tensor) + 1].first_consumer;
  std::int32_t num_remote = 0;
  std::size_t num_released = 0;
  for (std::int32_t edge = g_.tensors[At(tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = g_.consumers[At(edge)];
    KernelState& reader = w_.kernels[At(consumer)];
    const bool is_local = reader.device == device;
    const auto remote = static_cast<std::int32_t>(!is_local);
    RemoteReaders& there = w_.remote[At(reader.device)];
    w_.storage_of_edge[At(edge)] = storage;
    there.num_readers += remote;
    there.edge = edge;
    there.reader = consumer;
    // Of local readers it stays all ones, the last of priorities.
    there.priority_part =
        std::min(there.priority_part, reader.priority_part | -static_cast<std::uint64_t>(is_local));
    InsertBitIf(!is_local, View(w_.touched_devices), At(reader.device));
    num_remote += remote;
    reader.pending -= static_cast<std::int32_t>(is_local);
    w_.released[num_released] = consumer;
    // A remote reader still waits for its copy.
    num_released += static_cast<std::size_t>(reader.pending == 0);
  }
  IssueReleased(num_released);
  return end - g_.tensors[At(tensor)].first_consumer - num_remote;
}

template <EngineParts kParts>
std::int32_t Execution<kParts>::AddCopy(const ActiveTransfer& common, std::size_t dst) {
  const auto slot = static_cast<std::int32_t>(w_.transfers.size());
  const RemoteReaders& readers = w_.remote[dst];
  w_.transfers.push_back({.tensor = common.tensor,
                          .source_storage = common.source_storage,
                          .src = common.src,
                          .dst = static_cast<std::int16_t>(dst),
                          .pair = static_cast<std::int32_t>(At(common.src) * p_.num_devices + dst),
                          .num_readers = readers.num_readers,
                          .edge = readers.edge,
                          .reader = readers.reader});
  return slot;
}

template <EngineParts kParts>
std::int32_t Execution<kParts>::OfferTransfers(const ActiveTransfer& common) {
  if (is_one_per(OnePer::kDestination)) {
    return OfferToDevices(common);
  }
  return is_one_per(OnePer::kOutput) ? OfferJointly(common) : OfferToEdges(common);
}

template <EngineParts kParts>
std::int32_t Execution<kParts>::OfferToDevices(const ActiveTransfer& common) {
  std::int32_t num_transfers = 0;
  ForEachBit(ConstBits(View(w_.touched_devices)), [&](std::size_t dst) {
    RemoveBit(View(w_.touched_devices), dst);
    const std::int32_t slot = AddCopy(common, dst);
    Offer(slot, TransferPriority(slot, w_.remote[dst].priority_part));
    w_.remote[dst] = {};
    ++num_transfers;
  });
  return num_transfers;
}

// None can overtake another: no two lead over the same channels. What waits already waits for a
// pair that is taken.
template <EngineParts kParts>
std::int32_t Execution<kParts>::StartAtOnce(const ActiveTransfer& common) {
  const std::int64_t bytes = g_.tensors[At(common.tensor)].bytes;
  const std::uint64_t blocked = w_.blocked_pairs[0] >> At(common.src) * p_.num_devices;
  const std::uint64_t readers = w_.touched_devices[0];
  std::int32_t num_transfers = 0;
  for (std::uint64_t rest = readers & ~blocked; rest != 0; rest &= rest - 1) {
    const auto dst = static_cast<std::size_t>(std::countr_zero(rest));
    if (!w_.memory.Fits(dst, bytes)) [[unlikely]] {
      TakeBackStarts(common);
      return 0;
    }
    peaks_before_[dst] = w_.memory.account(dst).peak;
    at_once_devices_ |= std::uint64_t{1} << dst;
    BeginTransfer(AddCopy(common, dst));
    w_.remote[dst] = {};
    ++num_transfers;
  }
  w_.touched_devices[0] = readers & blocked;
  run_.num_transfers += num_transfers;
  return num_transfers;
}

// The run is about to end, since one of them does not fit. Which of the others started before it,
// the queues will tell; their events no longer matter.
template <EngineParts kParts>
void Execution<kParts>::TakeBackStarts(const ActiveTransfer& common) {
  const KernelTensor& tensor = g_.tensors[At(common.tensor)];
  ForEachBit(std::span<const std::uint64_t, 1>(&at_once_devices_, 1), [&](std::size_t dst) {
    w_.memory.Free(dst, tensor.bytes);
    RemoveBit(View(w_.active_pairs), At(common.src) * p_.num_devices + dst);
    RemoveBit(View(w_.blocked_pairs), At(common.src) * p_.num_devices + dst);
    w_.transfers.pop_back();
  });
  ForgetStartsAtOnce();
  std::ranges::fill(w_.remote, RemoteReaders{});
  for (std::int32_t edge = tensor.first_consumer;
       edge < g_.tensors[At(common.tensor) + 1].first_consumer;
       ++edge) {
    const KernelState& reader = w_.kernels[At(g_.consumers[At(edge)])];
    if (reader.device != common.src) {
      NoteRemoteReader(reader);
    }
  }
}

// Of the peaks.
template <EngineParts kParts>
void Execution<kParts>::ForgetStartsAtOnce() {
  ForEachBit(std::span<const std::uint64_t, 1>(&at_once_devices_, 1),
             [&](std::size_t dst) { w_.memory.ResetPeak(dst, peaks_before_[dst]); });
  at_once_devices_ = 0;
}

// One transfer, led by the first of the copies.
template <EngineParts kParts>
std::int32_t Execution<kParts>::OfferJointly(const ActiveTransfer& common) {
  const auto first = static_cast<std::int32_t>(w_.transfers.size());
  std::uint64_t priority_part = ~std::uint64_t{0};
  ForEachBit(ConstBits(View(w_.touched_devices)), [&](std::size_t dst) {
    RemoveBit(View(w_.touched_devices), dst);
    const std::int32_t slot = AddCopy(common, dst);
    priority_part = std::min(priority_part, TransferPriority(slot, w_.remote[dst].priority_part));
    w_.remote[dst] = {};
  });
  const auto end = static_cast<std::int32_t>(w_.transfers.size());
  if (end == first) {
    return 0;
  }
  w_.transfers[At(first)].num_copies = end - first;
  Offer(first, priority_part);
  return 1;
}

template <EngineParts kParts>
std::int32_t Execution<kParts>::OfferToEdges(const ActiveTransfer& common) {
  ForEachBit(ConstBits(View(w_.touched_devices)), [&](std::size_t dst) {
    RemoveBit(View(w_.touched_devices), dst);
    w_.remote[dst] = {};
  });
  const std::int32_t end = g_.tensors[At(common.tensor) + 1].first_consumer;
  std::int32_t num_transfers = 0;
  for (std::int32_t edge = g_.tensors[At(common.tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = g_.consumers[At(edge)];
    KernelState& reader = w_.kernels[At(consumer)];
    if (reader.device == common.src) {
      continue;
    }
    if (!is_placeto()) {
      w_.storage_of_edge[At(edge)] =
          static_cast<std::int32_t>(g_.num_tensors + w_.transfers.size());
    }
    reader.pending += g_.edge_uses[At(edge)] - 1;
    for (std::int32_t use = 0; use < g_.edge_uses[At(edge)]; ++use) {
      const std::int32_t slot = AddCopy(common, At(reader.device));
      w_.transfers[At(slot)].num_readers = 1;
      w_.transfers[At(slot)].edge = edge;
      w_.transfers[At(slot)].reader = consumer;
      Offer(slot, TransferPriority(slot, reader.priority_part));
      ++num_transfers;
    }
  }
  return num_transfers;
}

template <EngineParts kParts>
void Execution<kParts>::Offer(std::int32_t slot, std::uint64_t priority_part) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  const WaitingTransfer<Key> waiting{
      .key = Key::Of(priority_part, NextEntry(), OriginOf(transfer.tensor)), .slot = slot};
  ++run_.num_transfers;
  if (scans()) {
    OfferToScan(waiting);
  } else {
    q_.waiting.Push(At(transfer.pair), waiting);
    InsertBit(View(w_.waiting_pairs), At(transfer.pair));
  }
  if (is_recorded()) {
    RecordOffer(slot);
  }
}

template <EngineParts kParts>
void Execution<kParts>::OfferToScan(const WaitingTransfer<Key>& waiting) {
  const auto is_before = [this](const WaitingTransfer<Key>& a, const WaitingTransfer<Key>& b) {
    const std::int32_t dst_a = w_.transfers[At(a.slot)].dst;
    const std::int32_t dst_b = w_.transfers[At(b.slot)].dst;
    return a.key == b.key && dst_a != dst_b ? dst_a < dst_b : a < b;
  };
  q_.scanned.insert(std::ranges::upper_bound(q_.scanned, waiting, is_before), waiting);
  run_.must_scan = true;
}

template <EngineParts kParts>
void Execution<kParts>::RecordOffer(std::int32_t slot) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  recorder_->transfers.resize(w_.transfers.size());
  recorder_->transfers[At(slot)] = {.tensor = TensorId(At(OriginOf(transfer.tensor))),
                                    .src = DeviceId(At(transfer.src)),
                                    .dst = DeviceId(At(transfer.dst)),
                                    .offered = SimTime{run_.now_ps}};
}

template <EngineParts kParts>
std::uint64_t Execution<kParts>::TransferPriority(std::int32_t slot, std::uint64_t derived) const {
  if (!kParts.options || plan_.transfer_priority.empty()) {
    return derived;
  }
  const ActiveTransfer& copy = w_.transfers[At(slot)];
  const std::size_t entry = At(OriginOf(copy.tensor)) * p_.num_devices + At(copy.dst);
  return w_.has_tensor_priority[entry] != 0 ? w_.keys.PriorityPart(-w_.tensor_priority[entry])
                                            : derived;
}

template <EngineParts kParts>
void Execution<kParts>::SignalControl(std::int32_t kernel, std::int32_t device) {
  const std::int32_t end = g_.kernels[At(kernel) + 1].first_control;
  for (std::int32_t i = g_.kernels[At(kernel)].first_control; i < end; ++i) {
    const std::int32_t consumer = g_.control_consumers[At(i)];
    const std::int32_t destination = w_.kernels[At(consumer)].device;
    const std::int64_t latency_ps =
        destination == device ? 0 : p_.route(device, destination).latency_ps;
    if (latency_ps == 0) {
      CountDown(consumer);
    } else {
      w_.events.Push({run_.now_ps + latency_ps, EventKind::kControlArrived, consumer});
    }
  }
}

}  // namespace opyard::sim
