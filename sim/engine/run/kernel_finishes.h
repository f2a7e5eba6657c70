// Ends of kernels (docs/modelling.md, section 3: instants, gaps; section 4).
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/run/outputs.h"
#include "sim/engine/run/prefetches.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/storage.h"

namespace opyard::sim {

// `is_alone` if nothing else ends now.
template <EngineParts kParts>
void FinishKernel(Run<kParts>& run, std::int32_t kernel, bool is_alone = false) {
  const KernelState& state = run.state().kernels[At(kernel)];
  const std::int32_t device = state.device;
  DeviceState& device_state = run.state().devices[At(device)];
  device_state.running = DeviceState::kNone;
  InsertBit(run.View(run.state().idle_devices), At(device));
  if (kParts.options && run.problem.rules.gap_after_op_ps > 0 && state.duration_ps > 0) {
    device_state.running = DeviceState::kResting;
    RemoveBit(run.View(run.state().idle_devices), At(device));
    run.state().events.Push({run.progress.now_ps + run.problem.rules.gap_after_op_ps,
                             EventKind::kDeviceRested,
                             device});
  }
  run.progress.end_ps = run.progress.now_ps;
  ++run.progress.num_done;
  if (run.looks_ahead) {
    PrefetchAhead(run);
  }
  if (run.keeper != nullptr) {
    run.keeper->finish_ps[At(kernel)] = run.progress.now_ps;
  }
  const Kernel& finished = run.graph.kernels[At(kernel)];
  FreeBytes(run, At(device), finished.workspace_bytes);
  const std::int32_t end = run.graph.kernels[At(kernel) + 1].first_output;
  is_alone = is_alone && end - finished.first_output == 1;
  for (std::int32_t tensor = finished.first_output; tensor < end; ++tensor) {
    PublishOutput(run, tensor, device, is_alone);
  }
  if (!run.graph.control_consumers.empty()) {
    SignalControl(run, kernel, device);
  }
  ReleaseInputs(run, kernel, At(device));
}

// The kernel `first` and those that end with it. Apart from the loop, where it would be in the
// way.
template <EngineParts kParts>
[[gnu::noinline, gnu::flatten]] void FinishTogether(Run<kParts>& run, std::int32_t first) {
  run.scratch().finished.clear();
  run.scratch().finished.push_back(first);
  while (run.state().kernel_ends.next_ps() == run.progress.now_ps) {
    run.scratch().finished.push_back(run.state().devices[run.state().kernel_ends.Pop()].running);
  }
  std::ranges::sort(run.scratch().finished);
  for (const std::int32_t kernel : run.scratch().finished) {
    FinishKernel(run, kernel);
  }
}

// All that end now, most often one, in index order. `is_alone` if nothing but kernels ends now.
template <EngineParts kParts>
void FinishKernels(Run<kParts>& run, bool is_alone) {
  const std::int32_t kernel = run.state().devices[run.state().kernel_ends.Pop()].running;
  if (run.state().kernel_ends.next_ps() != run.progress.now_ps) [[likely]] {
    FinishKernel(run, kernel, is_alone);
  } else {
    FinishTogether(run, kernel);
  }
}

}  // namespace opyard::sim
