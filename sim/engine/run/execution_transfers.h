// The part of Execution that moves tensors between devices and frees memory. For execution.cc
// alone.
#pragma once

#include <algorithm>
#include <utility>

#include "sim/base/array_index.h"
#include "sim/engine/queues/select.h"
#include "sim/engine/run/execution.h"

namespace opyard::sim {

// Transfers of one pair occupy the same channels, so only the heads of the pairs compete: the least
// head whose channels are free is the one that a scan of all waiting transfers in order would
// start.
template <EngineParts kParts>
std::size_t Execution<kParts>::FindStartablePair() const {
  // Most often none can start, or one.
  if (!kParts.options) {
    const std::uint64_t startable = w_.waiting_pairs[0] & ~w_.blocked_pairs[0];
    if ((startable & (startable - 1)) == 0) {
      return startable == 0 ? kNoPair : static_cast<std::size_t>(std::countr_zero(startable));
    }
  }
  std::size_t best = kNoPair;
  Key least = Key::Last();
  for (std::size_t word = 0; word < View(w_.waiting_pairs).size(); ++word) {
    std::uint64_t startable = w_.waiting_pairs[word] & ~w_.blocked_pairs[word];
    for (; startable != 0; startable &= startable - 1) {
      const std::size_t pair = word * 64 + static_cast<std::size_t>(std::countr_zero(startable));
      // Pairs come in order of (source, destination); equal heads are one tensor, so of one source.
      const Key head = q_.waiting.top(pair).key;
      best = Select(head < least, pair, best);
      least = std::min(least, head);
    }
  }
  return best;
}

template <EngineParts kParts>
bool Execution<kParts>::StartTransfers() {
  if (scans()) {
    return StartScannedTransfers();
  }
  while (true) {
    const std::size_t pair = FindStartablePair();
    if (pair == kNoPair) {
      return true;
    }
    const std::int32_t slot = q_.waiting.Pop(pair).slot;
    RemoveBitIf(q_.waiting.empty(pair), View(w_.waiting_pairs), pair);
    if (!StartTransfer(slot)) {
      return false;
    }
  }
}

// The literal rule: all that wait, in order; what cannot start does not hold back what follows.
// Starting only takes channels and memory, so one pass suffices.
template <EngineParts kParts>
bool Execution<kParts>::StartScannedTransfers() {
  if (!run_.must_scan) {
    return true;
  }
  run_.must_scan = false;
  std::size_t num_kept = 0;
  bool goes_on = true;
  for (const WaitingTransfer<Key>& waiting : q_.scanned) {
    const bool may_start = goes_on && ChannelsAreFree(waiting.slot) &&
                           (!waits_for_memory() || !FindCopyWithoutRoom(waiting.slot).has_value());
    if (may_start) {
      goes_on = StartTransfer(waiting.slot);
    } else {
      q_.scanned[num_kept++] = waiting;
    }
  }
  q_.scanned.resize(num_kept);
  return goes_on;
}

template <EngineParts kParts>
bool Execution<kParts>::ChannelsAreFree(std::int32_t slot) const {
  const std::int32_t end = slot + NumCopies(w_.transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end; ++copy) {
    if (HasBit(View(std::as_const(w_.blocked_pairs)), At(w_.transfers[At(copy)].pair))) {
      return false;
    }
  }
  return true;
}

template <EngineParts kParts>
std::optional<std::int32_t> Execution<kParts>::FindCopyWithoutRoom(std::int32_t slot) const {
  const std::int32_t end = slot + NumCopies(w_.transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end && !is_placeto(); ++copy) {
    const ActiveTransfer& transfer = w_.transfers[At(copy)];
    if (!w_.memory.Fits(At(transfer.dst), g_.tensors[At(transfer.tensor)].bytes)) {
      return copy;
    }
  }
  return std::nullopt;
}

template <EngineParts kParts>
bool Execution<kParts>::StartTransfer(std::int32_t slot) {
  const std::optional<std::int32_t> full = FindCopyWithoutRoom(slot);
  if (full.has_value()) {
    const std::int32_t tensor = w_.transfers[At(slot)].tensor;
    RecordFailure({.what = FailedAllocation::What::kCopy,
                   .subject = tensor,
                   .device = w_.transfers[At(*full)].dst,
                   .time_ps = run_.now_ps,
                   .bytes = g_.tensors[At(tensor)].bytes});
    return false;
  }
  BeginTransfer(slot);
  return true;
}

template <EngineParts kParts>
void Execution<kParts>::BeginTransfer(std::int32_t slot) {
  const ActiveTransfer& lead = w_.transfers[At(slot)];
  const KernelTensor& tensor = g_.tensors[At(lead.tensor)];
  // Rules placeto count nothing on receivers.
  for (std::int32_t copy = slot; copy < slot + NumCopies(lead) && !is_placeto(); ++copy) {
    const ActiveTransfer& transfer = w_.transfers[At(copy)];
    w_.memory.Take(At(transfer.dst), tensor.bytes, run_.now_ps);
    // A copy of parameters stays to the end of the step: one holder more than it has readers.
    w_.storages[g_.num_tensors + At(copy)] = {
        .bytes = tensor.bytes,
        .num_holders = transfer.num_readers + (tensor.aliases_params ? 1 : 0)};
  }
  OccupyChannels(slot);
  const bool flows = is_fair() && tensor.bytes > 0;
  if (flows) {
    const std::int64_t latency_ps = p_.route(lead.src, lead.dst).latency_ps;
    w_.events.Push({run_.now_ps + latency_ps, EventKind::kFlowBegins, slot});
  } else {
    w_.events.Push({run_.now_ps + TransferTime(slot), EventKind::kTransferDone, slot});
  }
  if (is_recorded()) {
    recorder_->transfers[At(slot)].start = SimTime{run_.now_ps};
    recorder_->transfers[At(slot)].finish =
        flows ? Recorder::kUnknown : SimTime{run_.now_ps + TransferTime(slot)};
    recorder_->transfer_order.push_back(slot);
  }
}

// Of its slowest copy.
template <EngineParts kParts>
std::int64_t Execution<kParts>::TransferTime(std::int32_t slot) const {
  std::int64_t duration_ps = 0;
  const std::int32_t end = slot + NumCopies(w_.transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end; ++copy) {
    const ActiveTransfer& transfer = w_.transfers[At(copy)];
    duration_ps = std::max(
        duration_ps, p_.TransferTime(p_.routes[At(transfer.pair)], OriginOf(transfer.tensor)));
  }
  return duration_ps;
}

// A pair that shares no channel, not even with itself, is never blocked.
template <EngineParts kParts>
void Execution<kParts>::OccupyChannels(std::int32_t slot) {
  const std::int32_t end = slot + NumCopies(w_.transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end; ++copy) {
    const std::size_t pair = At(w_.transfers[At(copy)].pair);
    InsertBit(View(w_.active_pairs), pair);
    InsertAll(View(w_.blocked_pairs), Excludes(pair));
  }
}

// Blocked is what shares a channel with an active pair.
template <EngineParts kParts>
void Execution<kParts>::FreeChannels(std::int32_t slot) {
  const std::int32_t end = slot + NumCopies(w_.transfers[At(slot)]);
  bool are_apart = true;
  for (std::int32_t copy = slot; copy < end; ++copy) {
    const std::size_t pair = At(w_.transfers[At(copy)].pair);
    RemoveBit(View(w_.active_pairs), pair);
    RemoveBit(View(w_.blocked_pairs), pair);
    are_apart = are_apart && p_.routes[pair].is_apart;
  }
  if (!are_apart) {
    std::ranges::fill(View(w_.blocked_pairs), 0);
    ForEachBit(ConstBits(View(w_.active_pairs)),
               [&](std::size_t pair) { InsertAll(View(w_.blocked_pairs), Excludes(pair)); });
  }
  run_.must_scan = true;
}

template <EngineParts kParts>
void Execution<kParts>::BeginFlow(std::int32_t slot) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  w_.flows.Start(At(transfer.pair), slot, g_.tensors[At(transfer.tensor)].bytes, run_.now_ps);
}

template <EngineParts kParts>
void Execution<kParts>::FinishTransfer(std::int32_t slot) {
  const ActiveTransfer& lead = w_.transfers[At(slot)];
  run_.end_ps = run_.now_ps;
  if (is_recorded()) {
    recorder_->transfers[At(slot)].finish = SimTime{run_.now_ps};
  }
  if (kParts.options && p_.rules.gap_after_transfer_ps > 0) {
    w_.events.Push(
        {run_.now_ps + p_.rules.gap_after_transfer_ps, EventKind::kChannelsRested, slot});
  } else {
    FreeChannels(slot);
  }
  for (std::int32_t copy = slot; copy < slot + NumCopies(lead); ++copy) {
    Deliver(copy);
  }
  if (!is_placeto()) {
    Release(lead.source_storage, At(lead.src));
  }
}

template <EngineParts kParts>
void Execution<kParts>::Deliver(std::int32_t slot) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  if (is_one_per(OnePer::kEdge)) {
    is_placeto() ? ReleaseLater(transfer.edge) : CountDown(transfer.reader);
    return;
  }
  const auto storage = static_cast<std::int32_t>(g_.num_tensors) + slot;
  if (transfer.num_readers == 1 && !is_placeto()) [[likely]] {
    w_.storage_of_edge[At(transfer.edge)] = storage;
    CountDown(transfer.reader);
    return;
  }
  std::size_t num_released = 0;
  const std::int32_t end = g_.tensors[At(transfer.tensor) + 1].first_consumer;
  for (std::int32_t edge = g_.tensors[At(transfer.tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = g_.consumers[At(edge)];
    KernelState& reader = w_.kernels[At(consumer)];
    const bool is_there = reader.device == transfer.dst;
    if (is_placeto()) {
      if (is_there) {
        ReleaseLater(edge);
      }
      continue;
    }
    std::int32_t& read = w_.storage_of_edge[At(edge)];
    read = Select(is_there, storage, read);
    reader.pending -= static_cast<std::int32_t>(is_there);
    w_.released[num_released] = consumer;
    num_released += static_cast<std::size_t>(is_there & (reader.pending == 0));
  }
  IssueReleased(num_released);
}

template <EngineParts kParts>
void Execution<kParts>::Release(std::int32_t storage, std::size_t device) {
  Storage& held = w_.storages[At(storage)];
  --held.num_holders;
  FreeBytes(device, Select(held.num_holders == 0, held.bytes, std::int64_t{0}));
}

template <EngineParts kParts>
void Execution<kParts>::FreeBytes(std::size_t device, std::int64_t bytes) {
  w_.memory.Free(device, bytes);
  if (waits_for_memory()) {
    InsertBitIf(!q_.ready.empty(device), View(w_.ready_devices), device);
    run_.must_scan = true;
  }
}

template <EngineParts kParts>
void Execution<kParts>::RecordFailure(const FailedAllocation& failure) {
  if (is_recorded()) {
    recorder_->failure = failure;
  }
}

}  // namespace opyard::sim
