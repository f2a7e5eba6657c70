// The part of Execution that moves tensors between devices.
#include <algorithm>

#include "sim/engine/execution.h"

namespace opyard::sim {
namespace {

std::size_t At(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

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
  while (const std::optional<std::size_t> pair = FindStartablePair()) {
    if (!StartTransfer(*pair)) {
      return false;
    }
  }
  return true;
}

bool Execution::StartTransfer(std::size_t pair) {
  const std::int32_t slot = w_.waiting.Pop(pair).slot;
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  const LoweredTensor& tensor = p_.tensors[At(transfer.tensor)];
  if (!w_.memory.Allocate(At(transfer.dst), tensor.bytes, now_ps_)) {
    RecordFailure({.what = FailedAllocation::What::kCopy,
                   .subject = transfer.tensor,
                   .device = transfer.dst,
                   .time_ps = now_ps_,
                   .bytes = tensor.bytes});
    return false;
  }
  // A copy of parameters stays to the end of the step: one holder more than it has readers.
  w_.holders[p_.num_tensors + At(slot)] = transfer.num_readers + (tensor.aliases_params ? 1 : 0);
  InsertAll(w_.busy_channels, p_.occupies(pair));
  RemoveAll(w_.candidate_pairs, p_.excludes(pair));
  const std::int64_t end_ps = now_ps_ + transfer.duration_ps;
  w_.events.Push({end_ps, EventKind::kTransferDone, slot});
  if (recorder_ != nullptr) {
    recorder_->transfers[At(slot)].start = SimTime{now_ps_};
    recorder_->transfers[At(slot)].finish = SimTime{end_ps};
    recorder_->transfer_order.push_back(slot);
  }
  return true;
}

void Execution::FinishTransfer(std::int32_t slot) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  const std::size_t pair = At(transfer.src) * p_.num_devices + At(transfer.dst);
  RemoveAll(w_.busy_channels, p_.occupies(pair));
  InsertAll(w_.candidate_pairs, p_.excludes(pair));
  const std::int32_t copy = static_cast<std::int32_t>(p_.num_tensors) + slot;
  const std::int32_t end = p_.tensors[At(transfer.tensor) + 1].first_consumer;
  for (std::int32_t edge = p_.tensors[At(transfer.tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = p_.consumers[At(edge)];
    if (w_.device[At(consumer)] == transfer.dst) {
      w_.storage_of_edge[At(edge)] = copy;
      CountDown(consumer);
    }
  }
  Release(w_.storage_of_tensor[At(transfer.tensor)], At(transfer.src));
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

}  // namespace opyard::sim
