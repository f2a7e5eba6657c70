// The part of Execution that moves tensors between devices and frees memory.
#include <algorithm>

#include "sim/engine/array_index.h"
#include "sim/engine/execution.h"

namespace opyard::sim {

std::size_t Execution::PairOf(std::int32_t slot) const {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  return At(transfer.src) * p_.num_devices + At(transfer.dst);
}

// Transfers of one pair occupy the same channels, so only the heads of the pairs compete: the least
// head whose channels are free is the one that a scan of all waiting transfers in order would
// start. A pair that is blocked stays so until a pair that shares a channel with it is done, and is
// no candidate.
std::optional<std::size_t> Execution::FindStartablePair() {
  std::optional<std::size_t> best;
  ForEachBit(w_.candidate_pairs, [&](std::size_t pair) {
    if (w_.waiting.empty(pair) || Intersect(p_.occupies(pair), w_.busy_channels)) {
      RemoveBit(w_.candidate_pairs, pair);
      return;
    }
    // Pairs come in order of (source, destination); equal heads are one tensor, so of one source.
    if (!best.has_value() || w_.waiting.top(pair).key < w_.waiting.top(*best).key) {
      best = pair;
    }
  });
  return best;
}

bool Execution::StartTransfers() {
  if (scans_) {
    return StartScannedTransfers();
  }
  while (const std::optional<std::size_t> pair = FindStartablePair()) {
    if (!StartTransfer(w_.waiting.Pop(*pair).slot)) {
      return false;
    }
  }
  return true;
}

// The literal rule: all that wait, in order; what cannot start does not hold back what follows.
// Starting only takes channels and memory, so one pass suffices.
bool Execution::StartScannedTransfers() {
  if (!must_scan_) {
    return true;
  }
  must_scan_ = false;
  std::size_t num_kept = 0;
  bool goes_on = true;
  for (const WaitingTransfer& waiting : w_.scanned) {
    const bool may_start = goes_on && ChannelsAreFree(waiting.slot) &&
                           (!p_.waits_for_memory || !FindCopyWithoutRoom(waiting.slot).has_value());
    if (may_start) {
      goes_on = StartTransfer(waiting.slot);
    } else {
      w_.scanned[num_kept++] = waiting;
    }
  }
  w_.scanned.resize(num_kept);
  return goes_on;
}

bool Execution::ChannelsAreFree(std::int32_t slot) const {
  for (std::int32_t copy = slot; copy < slot + w_.transfers[At(slot)].num_copies; ++copy) {
    if (Intersect(p_.occupies(PairOf(copy)), w_.busy_channels)) {
      return false;
    }
  }
  return true;
}

std::optional<std::int32_t> Execution::FindCopyWithoutRoom(std::int32_t slot) const {
  for (std::int32_t copy = slot; copy < slot + w_.transfers[At(slot)].num_copies; ++copy) {
    const ActiveTransfer& transfer = w_.transfers[At(copy)];
    if (!w_.memory.Fits(At(transfer.dst), p_.tensors[At(transfer.tensor)].bytes)) {
      return copy;
    }
  }
  return std::nullopt;
}

bool Execution::StartTransfer(std::int32_t slot) {
  const ActiveTransfer& lead = w_.transfers[At(slot)];
  const LoweredTensor& tensor = p_.tensors[At(lead.tensor)];
  if (const std::optional<std::int32_t> full = FindCopyWithoutRoom(slot)) {
    RecordFailure({.what = FailedAllocation::What::kCopy,
                   .subject = lead.tensor,
                   .device = w_.transfers[At(*full)].dst,
                   .time_ps = now_ps_,
                   .bytes = tensor.bytes});
    return false;
  }
  for (std::int32_t copy = slot; copy < slot + lead.num_copies; ++copy) {
    const ActiveTransfer& transfer = w_.transfers[At(copy)];
    w_.memory.Take(At(transfer.dst), tensor.bytes, now_ps_);
    // A copy of parameters stays to the end of the step: one holder more than it has readers.
    w_.holders[p_.num_tensors + At(copy)] = transfer.num_readers + (tensor.aliases_params ? 1 : 0);
    InsertAll(w_.busy_channels, p_.occupies(PairOf(copy)));
    RemoveAll(w_.candidate_pairs, p_.excludes(PairOf(copy)));
  }
  const bool flows = p_.sharing == Sharing::kFair && tensor.bytes > 0;
  if (flows) {
    const std::int64_t latency = p_.routes[PairOf(slot)].latency_ps;
    w_.events.Push({now_ps_ + latency, EventKind::kFlowBegins, slot});
  } else {
    w_.events.Push({now_ps_ + lead.duration_ps, EventKind::kTransferDone, slot});
  }
  if (recorder_ != nullptr) {
    recorder_->transfers[At(slot)].start = SimTime{now_ps_};
    recorder_->transfers[At(slot)].finish =
        flows ? Recorder::kUnknown : SimTime{now_ps_ + lead.duration_ps};
    recorder_->transfer_order.push_back(slot);
  }
  return true;
}

void Execution::BeginFlow(std::int32_t slot) {
  const std::int64_t bytes = p_.tensors[At(w_.transfers[At(slot)].tensor)].bytes;
  w_.flows.Start(PairOf(slot), slot, bytes, now_ps_);
}

void Execution::FinishTransfer(std::int32_t slot) {
  const ActiveTransfer& lead = w_.transfers[At(slot)];
  end_ps_ = now_ps_;
  if (recorder_ != nullptr) {
    recorder_->transfers[At(slot)].finish = SimTime{now_ps_};
  }
  if (p_.gap_after_transfer_ps > 0) {
    w_.events.Push({now_ps_ + p_.gap_after_transfer_ps, EventKind::kChannelsRested, slot});
  } else {
    FreeChannels(slot);
  }
  for (std::int32_t copy = slot; copy < slot + lead.num_copies; ++copy) {
    Deliver(copy);
  }
  Release(w_.storage_of_tensor[At(lead.tensor)], At(lead.src));
}

void Execution::Deliver(std::int32_t slot) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  if (transfer.edge >= 0) {
    CountDown(p_.consumers[At(transfer.edge)]);
    return;
  }
  const std::int32_t copy = static_cast<std::int32_t>(p_.num_tensors) + slot;
  const std::int32_t end = p_.tensors[At(transfer.tensor) + 1].first_consumer;
  for (std::int32_t edge = p_.tensors[At(transfer.tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = p_.consumers[At(edge)];
    if (w_.device[At(consumer)] == transfer.dst) {
      w_.storage_of_edge[At(edge)] = copy;
      CountDown(consumer);
    }
  }
}

void Execution::FreeChannels(std::int32_t slot) {
  for (std::int32_t copy = slot; copy < slot + w_.transfers[At(slot)].num_copies; ++copy) {
    RemoveAll(w_.busy_channels, p_.occupies(PairOf(copy)));
    InsertAll(w_.candidate_pairs, p_.excludes(PairOf(copy)));
  }
  must_scan_ = true;
}

void Execution::Release(std::int32_t storage, std::size_t device) {
  if (storage != Workspace::kNone && --w_.holders[At(storage)] == 0) {
    FreeBytes(device, BytesOfStorage(storage));
  }
}

void Execution::FreeBytes(std::size_t device, std::int64_t bytes) {
  w_.memory.Free(device, bytes);
  w_.is_stalled[device] = 0;
  must_scan_ = true;
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
