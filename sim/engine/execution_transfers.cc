// The part of Execution that moves tensors between devices.
#include <algorithm>

#include "sim/engine/execution.h"

namespace opyard::sim {
namespace {

std::size_t At(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

bool Execution::ChannelsAreFree(const LoweredRoute& route) const {
  const auto first = p_.route_channels.begin() + route.first_channel;
  return std::none_of(first, first + route.num_channels, [this](std::int32_t channel) {
    return w_.channel_is_busy[At(channel)] != 0;
  });
}

// Transfers of one pair occupy the same channels, so only the heads of the pairs compete: the least
// head whose channels are free is the one that a scan of all waiting transfers in order would
// start.
std::size_t Execution::FindStartableTransfer() const {
  std::size_t best = w_.active_pairs.size();
  for (std::size_t i = 0; i < w_.active_pairs.size(); ++i) {
    const std::size_t pair = At(w_.active_pairs[i]);
    const bool leads = best == w_.active_pairs.size() ||
                       w_.waiting.top(pair) < w_.waiting.top(At(w_.active_pairs[best]));
    if (leads && ChannelsAreFree(p_.routes[pair])) {
      best = i;
    }
  }
  return best;
}

bool Execution::StartTransfers() {
  while (must_start_transfers_) {
    const std::size_t found = FindStartableTransfer();
    if (found == w_.active_pairs.size()) {
      must_start_transfers_ = false;
    } else if (!StartTransfer(found)) {
      return false;
    }
  }
  return true;
}

bool Execution::StartTransfer(std::size_t active_index) {
  const std::size_t pair = At(w_.active_pairs[active_index]);
  const std::int32_t slot = w_.waiting.Pop(pair).slot;
  if (w_.waiting.empty(pair)) {
    w_.active_pairs[active_index] = w_.active_pairs.back();
    w_.active_pairs.pop_back();
  }
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
  const LoweredRoute& route = p_.routes[pair];
  for (std::int32_t i = 0; i < route.num_channels; ++i) {
    w_.channel_is_busy[At(p_.route_channels[At(route.first_channel + i)])] = 1;
  }
  const std::int64_t end_ps = now_ps_ + transfer.duration_ps;
  w_.events.Push({end_ps, slot, EventKind::kTransferDone});
  if (recorder_ != nullptr) {
    recorder_->transfers[At(slot)].start = SimTime{now_ps_};
    recorder_->transfers[At(slot)].finish = SimTime{end_ps};
    recorder_->transfer_order.push_back(slot);
  }
  return true;
}

void Execution::FinishTransfer(std::int32_t slot) {
  const ActiveTransfer& transfer = w_.transfers[At(slot)];
  const LoweredRoute& route = p_.route(transfer.src, transfer.dst);
  for (std::int32_t i = 0; i < route.num_channels; ++i) {
    w_.channel_is_busy[At(p_.route_channels[At(route.first_channel + i)])] = 0;
  }
  must_start_transfers_ = true;
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
