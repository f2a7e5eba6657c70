// Under rules placeto, what happens at one instant happens in the order of names
// (docs/modelling.md, section 6: order).
#pragma once

#include <optional>

#include "sim/base/array_index.h"
#include "sim/engine/run/channels.h"
#include "sim/engine/run/events.h"
#include "sim/engine/run/kernel_starts.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/transfers.h"

namespace opyard::sim {

// In the order of the graph's ops: entries are counted.
template <EngineParts kParts>
void IssueSourcesByOp(Run<kParts>& run) {
  for (std::size_t op = 0; op < run.graph.num_kernels; ++op) {
    const std::int32_t kernel = run.problem.graph->topological_index(OpId(op));
    if (run.state().kernels[At(kernel)].pending == 0) {
      IssueKernel(run, kernel);
    }
  }
}

// The first transfer that the first bus, by its device's name, can start.
template <EngineParts kParts>
[[nodiscard]] std::optional<std::int32_t> TakeTransferByName(Run<kParts>& run) {
  if (!run.progress.must_scan) {
    return std::nullopt;
  }
  for (const std::int32_t src : run.problem.device_of_rank) {
    for (auto waiting = run.queues.scanned.begin(); waiting != run.queues.scanned.end();
         ++waiting) {
      const std::int32_t slot = waiting->slot;
      if (run.state().transfers[At(slot)].src == src && ChannelsAreFree(run, slot)) {
        run.queues.scanned.erase(waiting);
        return slot;
      }
    }
  }
  run.progress.must_scan = false;
  return std::nullopt;
}

template <EngineParts kParts>
[[nodiscard]] std::optional<std::size_t> TakeDeviceByName(Run<kParts>& run) {
  for (const std::int32_t device : run.problem.device_of_rank) {
    if (HasBit(run.ConstView(run.state().idle_devices), At(device)) &&
        HasBit(run.ConstView(run.state().ready_devices), At(device))) {
      return At(device);
    }
  }
  return std::nullopt;
}

// Buses, then devices, start what they can one after the other; what ends at once is applied before
// the next of them.
template <EngineParts kParts>
[[nodiscard]] bool StartByName(Run<kParts>& run) {
  while (true) {
    if (const std::optional<std::int32_t> slot = TakeTransferByName(run)) {
      if (!StartTransfer(run, *slot)) {
        return false;
      }
    } else if (const std::optional<std::size_t> device = TakeDeviceByName(run)) {
      if (!StartNext(run, *device)) {
        return false;
      }
    } else {
      return true;
    }
    ApplyEvents(run);
  }
}

}  // namespace opyard::sim
