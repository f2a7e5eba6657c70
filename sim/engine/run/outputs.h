// Outputs of finished kernels: tensors to readers here and elsewhere, signals along control edges
// (docs/modelling.md, sections 3 and 4; section 6: dependencies).
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/run/offers.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/starts_at_once.h"
#include "sim/engine/run/storage.h"

namespace opyard::sim {

// Where the bytes of the tensor, just made, lie.
template <EngineParts kParts>
[[nodiscard]] std::int32_t StorageOf(Run<kParts>& run, std::int32_t tensor) {
  const KernelTensor& output = run.graph.tensors[At(tensor)];
  if (output.alias == Alias::kNone) [[likely]] {
    return tensor;
  }
  if (output.alias == Alias::kParams) {
    return static_cast<std::int32_t>(run.state().storages.size() - 1);
  }
  return output.alias_edge >= 0 ? run.state().storage_of_edge[At(output.alias_edge)]
                                : output.alias_tensor;
}

// Hands the tensor to its readers on `device` and notes those on other devices. Returns the number
// of local readers. Whether a reader is local is a coin toss, so nothing branches on it alone.
template <EngineParts kParts>
std::int32_t Distribute(Run<kParts>& run,
                        std::int32_t tensor,
                        std::int32_t storage,
                        std::int32_t device) {
  const std::int32_t end = run.graph.tensors[At(tensor) + 1].first_consumer;
  std::int32_t num_remote = 0;
  std::size_t num_released = 0;
  for (std::int32_t edge = run.graph.tensors[At(tensor)].first_consumer; edge < end; ++edge) {
    const std::int32_t consumer = run.graph.consumers[At(edge)];
    KernelState& reader = run.state().kernels[At(consumer)];
    const bool is_local = reader.device == device;
    const auto remote = static_cast<std::int32_t>(!is_local);
    RemoteReaders& there = run.scratch().remote[At(reader.device)];
    run.state().storage_of_edge[At(edge)] = storage;
    there.num_readers += remote;
    there.edge = edge;
    there.reader = consumer;
    // For local readers it stays all ones, the last of priorities.
    there.priority_part =
        std::min(there.priority_part, reader.priority_part | -static_cast<std::uint64_t>(is_local));
    InsertBitIf(!is_local, run.View(run.scratch().touched_devices), At(reader.device));
    num_remote += remote;
    reader.pending -= static_cast<std::int32_t>(is_local);
    run.scratch().released[num_released] = consumer;
    // A remote reader still waits for its copy.
    num_released += static_cast<std::size_t>(reader.pending == 0);
  }
  IssueReleased(run, num_released);
  return end - run.graph.tensors[At(tensor)].first_consumer - num_remote;
}

template <EngineParts kParts>
void PublishForPlaceto(Run<kParts>& run, std::int32_t tensor, std::int32_t device) {
  const std::int32_t storage = StorageOf(run, tensor);
  if (storage == tensor) {
    run.state().storages[At(tensor)] = {.bytes = run.graph.tensors[At(tensor)].bytes,
                                        .num_holders = 0};
  }
  const std::int32_t first = run.graph.tensors[At(tensor)].first_consumer;
  const std::int32_t end = run.graph.tensors[At(tensor) + 1].first_consumer;
  for (std::int32_t edge = first; edge < end; ++edge) {
    const KernelState& reader = run.state().kernels[At(run.graph.consumers[At(edge)])];
    run.state().storage_of_edge[At(edge)] = storage;
    if (reader.device == device) {
      MeetLater(run, edge);
    } else {
      NoteRemoteReader(run, reader);
    }
  }
  Storage& held = run.state().storages[At(storage)];
  held.num_holders += end - first;
  if (held.num_holders == 0) {
    FreeBytes(run, At(device), held.bytes);
  }
  OfferTransfers(
      run, {.tensor = tensor, .source_storage = storage, .src = static_cast<std::int16_t>(device)});
}

// Hands the finished kernel's output to its readers on `device` and offers it to transfers.
// `only_output_now`: nothing else ends or is made at this instant.
template <EngineParts kParts>
void PublishOutput(Run<kParts>& run,
                   std::int32_t tensor,
                   std::int32_t device,
                   bool only_output_now) {
  if (run.is_placeto()) {
    PublishForPlaceto(run, tensor, device);
    return;
  }
  const KernelTensor& output = run.graph.tensors[At(tensor)];
  const std::int32_t storage = StorageOf(run, tensor);
  std::int32_t num_holders = Distribute(run, tensor, storage, device) + (output.keep ? 1 : 0);
  if (!IsEmpty(run.ConstView(run.scratch().touched_devices))) {
    const ActiveTransfer common{
        .tensor = tensor, .source_storage = storage, .src = static_cast<std::int16_t>(device)};
    num_holders += only_output_now && run.starts_at_once() ? StartAtOnce(run, common) : 0;
    num_holders += OfferTransfers(run, common);
  }
  Storage& held = run.state().storages[At(storage)];
  if (output.alias == Alias::kNone) [[likely]] {
    held = {.bytes = output.bytes, .num_holders = num_holders};
  } else {
    held.num_holders += num_holders;
  }
  if (held.num_holders == 0) {
    FreeBytes(run, At(device), held.bytes);
  }
}

template <EngineParts kParts>
void SignalControl(Run<kParts>& run, std::int32_t kernel, std::int32_t device) {
  const std::int32_t end = run.graph.kernels[At(kernel) + 1].first_control;
  for (std::int32_t i = run.graph.kernels[At(kernel)].first_control; i < end; ++i) {
    const std::int32_t consumer = run.graph.control_consumers[At(i)];
    const std::int32_t destination = run.state().kernels[At(consumer)].device;
    const std::int64_t latency_ps =
        destination == device ? 0 : run.problem.route(device, destination).latency_ps;
    if (latency_ps == 0) {
      CountDown(run, consumer);
    } else {
      run.state().events.Push(
          {run.progress.now_ps + latency_ps, EventKind::kControlArrived, consumer});
    }
  }
}

}  // namespace opyard::sim
