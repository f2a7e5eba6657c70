// The part of Execution for rules placeto (SIMULATION §9): what happens at one instant happens in
// the order of names. For execution.cc alone.
#pragma once

#include <algorithm>
#include <utility>

#include "sim/base/array_index.h"
#include "sim/engine/run/execution.h"

namespace opyard::sim {

// Buses, then devices, start what they can one after the other; what ends at once is applied before
// the next of them.
template <EngineParts kParts>
bool Execution<kParts>::StartByName() {
  while (true) {
    if (const std::optional<std::int32_t> slot = TakeTransferByName()) {
      if (!StartTransfer(*slot)) {
        return false;
      }
    } else if (const std::optional<std::size_t> device = TakeDeviceByName()) {
      const bool goes_on = waits_for_memory() ? StartFirstThatFits(*device)
                                              : StartKernel(PopReady(*device).kernel(), *device);
      if (!goes_on) {
        return false;
      }
    } else {
      return true;
    }
    ApplyEvents();
  }
}

// The first transfer that the first bus, by its device's name, can start.
template <EngineParts kParts>
std::optional<std::int32_t> Execution<kParts>::TakeTransferByName() {
  if (!run_.must_scan) {
    return std::nullopt;
  }
  for (const std::int32_t src : p_.device_of_rank) {
    for (auto waiting = q_.scanned.begin(); waiting != q_.scanned.end(); ++waiting) {
      const std::int32_t slot = waiting->slot;
      if (w_.transfers[At(slot)].src == src && ChannelsAreFree(slot)) {
        q_.scanned.erase(waiting);
        return slot;
      }
    }
  }
  run_.must_scan = false;
  return std::nullopt;
}

template <EngineParts kParts>
std::optional<std::size_t> Execution<kParts>::TakeDeviceByName() {
  for (const std::int32_t device : p_.device_of_rank) {
    if (HasBit(View(std::as_const(w_.idle_devices)), At(device)) &&
        HasBit(View(std::as_const(w_.ready_devices)), At(device))) {
      return At(device);
    }
  }
  return std::nullopt;
}

template <EngineParts kParts>
void Execution<kParts>::IssueSourcesByOp() {
  for (std::size_t op = 0; op < g_.num_kernels; ++op) {
    const std::int32_t kernel = p_.graph->topological_index(OpId(op));
    if (w_.kernels[At(kernel)].pending == 0) {
      Issue(kernel);
    }
  }
}

template <EngineParts kParts>
void Execution<kParts>::PublishForPlaceto(std::int32_t tensor, std::int32_t device) {
  const std::int32_t storage = StorageOf(tensor);
  if (storage == tensor) {
    w_.storages[At(tensor)] = {.bytes = g_.tensors[At(tensor)].bytes, .num_holders = 0};
  }
  const std::int32_t first = g_.tensors[At(tensor)].first_consumer;
  const std::int32_t end = g_.tensors[At(tensor) + 1].first_consumer;
  for (std::int32_t edge = first; edge < end; ++edge) {
    const KernelState& reader = w_.kernels[At(g_.consumers[At(edge)])];
    w_.storage_of_edge[At(edge)] = storage;
    if (reader.device == device) {
      ReleaseLater(edge);
    } else {
      NoteRemoteReader(reader);
    }
  }
  Storage& held = w_.storages[At(storage)];
  held.num_holders += end - first;
  if (held.num_holders == 0) {
    FreeBytes(At(device), held.bytes);
  }
  OfferTransfers(
      {.tensor = tensor, .source_storage = storage, .src = static_cast<std::int16_t>(device)});
}

template <EngineParts kParts>
void Execution<kParts>::NoteRemoteReader(const KernelState& reader) {
  const std::size_t device = At(reader.device);
  RemoteReaders& remote = w_.remote[device];
  ++remote.num_readers;
  remote.priority_part = std::min(remote.priority_part, reader.priority_part);
  InsertBit(View(w_.touched_devices), device);
}

template <EngineParts kParts>
void Execution<kParts>::ReleaseLater(std::int32_t edge) {
  w_.events.Push({run_.now_ps, EventKind::kReleased, p_.rank_of_edge[At(edge)]});
}

}  // namespace opyard::sim
