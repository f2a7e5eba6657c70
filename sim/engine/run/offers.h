// The transfers that a tensor just made needs, put among those that wait (docs/modelling.md,
// section 3: transfers, one transfer per what).
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

// `derived` is the one that follows from the readers.
template <EngineParts kParts>
[[nodiscard]] std::uint64_t PriorityOfCopy(const Run<kParts>& run,
                                           std::int32_t slot,
                                           std::uint64_t derived) {
  if (!kParts.options || run.plan.transfer_priority.empty()) {
    return derived;
  }
  const ActiveTransfer& copy = run.state().transfers[At(slot)];
  const std::size_t entry = At(run.OriginOf(copy.tensor)) * run.problem.num_devices + At(copy.dst);
  return run.workspace.prepared.has_tensor_priority[entry] != 0
             ? run.workspace.prepared.keys.PriorityPart(
                   -run.workspace.prepared.tensor_priority[entry])
             : derived;
}

template <EngineParts kParts>
void RecordOffer(Run<kParts>& run, std::int32_t slot, std::uint64_t priority_part) {
  const ActiveTransfer& transfer = run.state().transfers[At(slot)];
  run.recorder->transfers.resize(run.state().transfers.size());
  run.recorder->transfers[At(slot)] = {.tensor = TensorId(At(run.OriginOf(transfer.tensor))),
                                       .src = DeviceId(At(transfer.src)),
                                       .dst = DeviceId(At(transfer.dst)),
                                       .offered = SimTime{run.progress.now_ps},
                                       .priority = KeyLayout::PriorityOf(priority_part)};
}

template <EngineParts kParts>
void OfferToScan(Run<kParts>& run, const WaitingTransfer<KeyOf<kParts>>& waiting) {
  const auto is_before = [&run](const WaitingTransfer<KeyOf<kParts>>& a,
                                const WaitingTransfer<KeyOf<kParts>>& b) {
    const std::int32_t dst_a = run.state().transfers[At(a.slot)].dst;
    const std::int32_t dst_b = run.state().transfers[At(b.slot)].dst;
    return a.key == b.key && dst_a != dst_b ? dst_a < dst_b : a < b;
  };
  run.queues.scanned.insert(std::ranges::upper_bound(run.queues.scanned, waiting, is_before),
                            waiting);
  run.progress.must_scan = true;
}

template <EngineParts kParts>
void OfferTransfer(Run<kParts>& run, std::int32_t slot, std::uint64_t priority_part) {
  const ActiveTransfer& transfer = run.state().transfers[At(slot)];
  const WaitingTransfer<KeyOf<kParts>> waiting{
      .key = KeyOf<kParts>::Of(priority_part, run.NextEntry(), run.OriginOf(transfer.tensor)),
      .slot = slot};
  ++run.progress.num_transfers;
  if (run.scans()) {
    OfferToScan(run, waiting);
  } else {
    run.queues.waiting.Push(At(transfer.pair), waiting);
    InsertBit(run.View(run.state().waiting_pairs), At(transfer.pair));
  }
  if (run.is_recorded()) {
    RecordOffer(run, slot, priority_part);
  }
}

template <EngineParts kParts>
void NoteRemoteReader(Run<kParts>& run, const KernelState& reader) {
  const std::size_t device = At(reader.device);
  RemoteReaders& remote = run.scratch().remote[device];
  ++remote.num_readers;
  remote.priority_part = std::min(remote.priority_part, reader.priority_part);
  InsertBit(run.View(run.scratch().touched_devices), device);
}

// Adds the copy to `dst` that the noted readers there need; returns its slot. `common` says what
// all copies of the tensor have in common.
template <EngineParts kParts>
std::int32_t AddCopy(Run<kParts>& run, const ActiveTransfer& common, std::size_t dst) {
  const auto slot = static_cast<std::int32_t>(run.state().transfers.size());
  const RemoteReaders& readers = run.scratch().remote[dst];
  run.state().transfers.push_back(
      {.tensor = common.tensor,
       .source_storage = common.source_storage,
       .src = common.src,
       .dst = static_cast<std::int16_t>(dst),
       .pair = static_cast<std::int32_t>(At(common.src) * run.problem.num_devices + dst),
       .num_readers = readers.num_readers,
       .edge = readers.edge,
       .reader = readers.reader});
  return slot;
}

template <EngineParts kParts>
std::int32_t OfferToDevices(Run<kParts>& run, const ActiveTransfer& common) {
  std::int32_t num_transfers = 0;
  ForEachBit(run.ConstView(run.scratch().touched_devices), [&](std::size_t dst) {
    RemoveBit(run.View(run.scratch().touched_devices), dst);
    const std::int32_t slot = AddCopy(run, common, dst);
    OfferTransfer(run, slot, PriorityOfCopy(run, slot, run.scratch().remote[dst].priority_part));
    run.scratch().remote[dst] = {};
    ++num_transfers;
  });
  return num_transfers;
}

// One transfer, led by the first of the copies.
template <EngineParts kParts>
std::int32_t OfferJointly(Run<kParts>& run, const ActiveTransfer& common) {
  const auto first = static_cast<std::int32_t>(run.state().transfers.size());
  std::uint64_t priority_part = ~std::uint64_t{0};
  ForEachBit(run.ConstView(run.scratch().touched_devices), [&](std::size_t dst) {
    RemoveBit(run.View(run.scratch().touched_devices), dst);
    const std::int32_t slot = AddCopy(run, common, dst);
    priority_part =
        std::min(priority_part, PriorityOfCopy(run, slot, run.scratch().remote[dst].priority_part));
    run.scratch().remote[dst] = {};
  });
  const auto end = static_cast<std::int32_t>(run.state().transfers.size());
  if (end == first) {
    return 0;
  }
  run.state().transfers[At(first)].num_copies = end - first;
  OfferTransfer(run, first, priority_part);
  return 1;
}

template <EngineParts kParts>
std::int32_t OfferToEdges(Run<kParts>& run, const ActiveTransfer& common) {
  ForEachBit(run.ConstView(run.scratch().touched_devices), [&](std::size_t dst) {
    RemoveBit(run.View(run.scratch().touched_devices), dst);
    run.scratch().remote[dst] = {};
  });
  const std::int32_t end = run.graph.tensors[At(common.tensor) + 1].first_consumer;
  std::int32_t num_transfers = 0;
  for (std::int32_t edge = run.graph.tensors[At(common.tensor)].first_consumer; edge < end;
       ++edge) {
    const std::int32_t consumer = run.graph.consumers[At(edge)];
    KernelState& reader = run.state().kernels[At(consumer)];
    if (reader.device == common.src) {
      continue;
    }
    if (!run.is_placeto()) {
      run.state().storage_of_edge[At(edge)] =
          static_cast<std::int32_t>(run.graph.num_tensors + run.state().transfers.size());
    }
    reader.pending += run.graph.edge_uses[At(edge)] - 1;
    for (std::int32_t use = 0; use < run.graph.edge_uses[At(edge)]; ++use) {
      const std::int32_t slot = AddCopy(run, common, At(reader.device));
      run.state().transfers[At(slot)].num_readers = 1;
      run.state().transfers[At(slot)].edge = edge;
      run.state().transfers[At(slot)].reader = consumer;
      OfferTransfer(run, slot, PriorityOfCopy(run, slot, reader.priority_part));
      ++num_transfers;
    }
  }
  return num_transfers;
}

// Offer transfers to the noted devices, or for the noted edges; return how many.
template <EngineParts kParts>
std::int32_t OfferTransfers(Run<kParts>& run, const ActiveTransfer& common) {
  if (run.is_one_per(OnePer::kDestination)) {
    return OfferToDevices(run, common);
  }
  return run.is_one_per(OnePer::kOutput) ? OfferJointly(run, common) : OfferToEdges(run, common);
}

}  // namespace opyard::sim
