// One transfer from its start to its end: room, channels, time, delivery (docs/modelling.md,
// section 3: transfers, one transfer per what, gaps; section 4: copies).
#pragma once

#include <algorithm>
#include <optional>

#include "sim/base/array_index.h"
#include "sim/engine/queues/select.h"
#include "sim/engine/run/channels.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/storage.h"
#include "sim/engine/run/transfer_turns.h"

namespace opyard::sim {

// The duration of a transfer: that of its slowest copy.
template <EngineParts kParts>
[[nodiscard]] std::int64_t DurationOf(const Run<kParts>& run, std::int32_t slot) {
  std::int64_t duration_ps = 0;
  const std::int32_t end = slot + run.NumCopies(run.state().transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end; ++copy) {
    const ActiveTransfer& transfer = run.state().transfers[At(copy)];
    duration_ps = std::max(duration_ps,
                           run.problem.TransferTime(run.problem.routes[At(transfer.pair)],
                                                    run.OriginOf(transfer.tensor)));
  }
  return duration_ps;
}

// The copies of the transfer led by `slot`, up to `copy`, that need room where `copy` does: devices
// of one memory pool share it.
template <EngineParts kParts>
[[nodiscard]] std::int64_t CopiesIntoPool(const Run<kParts>& run,
                                          std::int32_t slot,
                                          std::int32_t copy) {
  if (!run.has_pools()) {
    return 1;
  }
  const auto pool_of = [&](std::int32_t each) {
    return run.problem.pools.PoolOf(At(run.state().transfers[At(each)].dst));
  };
  std::int64_t count = 1;
  for (std::int32_t before = slot; before < copy && pool_of(copy) != LoweredPools::kNone;
       ++before) {
    count += pool_of(before) == pool_of(copy) ? 1 : 0;
  }
  return count;
}

// The first copy of the transfer that does not fit on its destination, if any.
template <EngineParts kParts>
[[nodiscard]] std::optional<std::int32_t> FindCopyWithoutRoom(const Run<kParts>& run,
                                                              std::int32_t slot) {
  const std::int32_t end = slot + run.NumCopies(run.state().transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end && !run.is_placeto(); ++copy) {
    const ActiveTransfer& transfer = run.state().transfers[At(copy)];
    const std::int64_t bytes = run.graph.tensors[At(transfer.tensor)].bytes;
    if (!FitsInMemory(run, At(transfer.dst), bytes * CopiesIntoPool(run, slot, copy))) {
      return copy;
    }
  }
  return std::nullopt;
}

// Begins a transfer that fits.
template <EngineParts kParts>
void BeginTransfer(Run<kParts>& run, std::int32_t slot) {
  const ActiveTransfer& lead = run.state().transfers[At(slot)];
  const KernelTensor& tensor = run.graph.tensors[At(lead.tensor)];
  // Rules placeto count nothing on receivers.
  for (std::int32_t copy = slot; copy < slot + run.NumCopies(lead) && !run.is_placeto(); ++copy) {
    const ActiveTransfer& transfer = run.state().transfers[At(copy)];
    TakeBytes(run, At(transfer.dst), tensor.bytes);
    // A copy of parameters stays to the end of the step: one holder more than it has readers.
    run.state().storages[run.graph.num_tensors + At(copy)] = {
        .bytes = tensor.bytes,
        .num_holders = transfer.num_readers + (tensor.aliases_params ? 1 : 0)};
  }
  OccupyChannels(run, slot);
  PassTransferTurn(run, slot);
  const bool flows = run.is_fair() && tensor.bytes > 0;
  const std::int64_t end_ps =
      run.progress.now_ps +
      (flows ? run.problem.route(lead.src, lead.dst).latency_ps : DurationOf(run, slot));
  run.state().events.Push(
      {end_ps, flows ? EventKind::kFlowBegins : EventKind::kTransferDone, slot});
  if (run.is_recorded()) {
    run.recorder->transfers[At(slot)].start = SimTime{run.progress.now_ps};
    run.recorder->transfers[At(slot)].finish = flows ? Recorder::kUnknown : SimTime{end_ps};
    run.recorder->transfer_order.push_back(slot);
  }
}

template <EngineParts kParts>
[[nodiscard]] bool StartTransfer(Run<kParts>& run, std::int32_t slot) {
  const std::optional<std::int32_t> full = FindCopyWithoutRoom(run, slot);
  if (full.has_value()) {
    const std::int32_t tensor = run.state().transfers[At(slot)].tensor;
    RecordFailure(run,
                  {.what = FailedAllocation::What::kCopy,
                   .subject = tensor,
                   .device = run.state().transfers[At(*full)].dst,
                   .time_ps = run.progress.now_ps,
                   .bytes = run.graph.tensors[At(tensor)].bytes});
    return false;
  }
  BeginTransfer(run, slot);
  return true;
}

template <EngineParts kParts>
void BeginFlow(Run<kParts>& run, std::int32_t slot) {
  const ActiveTransfer& transfer = run.state().transfers[At(slot)];
  run.state().flows.Start(
      At(transfer.pair), slot, run.graph.tensors[At(transfer.tensor)].bytes, run.progress.now_ps);
}

template <EngineParts kParts>
void DeliverCopy(Run<kParts>& run, std::int32_t slot) {
  const ActiveTransfer& transfer = run.state().transfers[At(slot)];
  if (run.is_one_per(OnePer::kEdge)) {
    run.is_placeto() ? MeetLater(run, transfer.edge) : CountDown(run, transfer.reader);
    return;
  }
  const auto storage = static_cast<std::int32_t>(run.graph.num_tensors) + slot;
  if (transfer.num_readers == 1 && !run.is_placeto()) [[likely]] {
    run.state().storage_of_edge[At(transfer.edge)] = storage;
    CountDown(run, transfer.reader);
    return;
  }
  std::size_t num_released = 0;
  const std::int32_t end = run.graph.tensors[At(transfer.tensor) + 1].first_consumer;
  for (std::int32_t edge = run.graph.tensors[At(transfer.tensor)].first_consumer; edge < end;
       ++edge) {
    const std::int32_t consumer = run.graph.consumers[At(edge)];
    KernelState& reader = run.state().kernels[At(consumer)];
    const bool is_there = reader.device == transfer.dst;
    if (run.is_placeto()) {
      if (is_there) {
        MeetLater(run, edge);
      }
      continue;
    }
    std::int32_t& read = run.state().storage_of_edge[At(edge)];
    read = Select(is_there, storage, read);
    reader.pending -= static_cast<std::int32_t>(is_there);
    run.scratch().released[num_released] = consumer;
    num_released += static_cast<std::size_t>(is_there & (reader.pending == 0));
  }
  IssueReleased(run, num_released);
}

template <EngineParts kParts>
void FinishTransfer(Run<kParts>& run, std::int32_t slot) {
  const ActiveTransfer& lead = run.state().transfers[At(slot)];
  run.progress.end_ps = run.progress.now_ps;
  if (run.is_recorded()) {
    run.recorder->transfers[At(slot)].finish = SimTime{run.progress.now_ps};
  }
  if (kParts.options && run.problem.rules.gap_after_transfer_ps > 0) {
    run.state().events.Push({run.progress.now_ps + run.problem.rules.gap_after_transfer_ps,
                             EventKind::kChannelsRested,
                             slot});
  } else {
    FreeChannels(run, slot);
  }
  for (std::int32_t copy = slot; copy < slot + run.NumCopies(lead); ++copy) {
    DeliverCopy(run, copy);
  }
  if (!run.is_placeto()) {
    ReleaseStorage(run, lead.source_storage, At(lead.src));
  }
}

}  // namespace opyard::sim
