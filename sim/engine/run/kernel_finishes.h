// The completion of kernels. When a kernel ends, its device goes idle or rests (docs/modelling.md,
// section 3: instants, gaps), its workspace is freed, its outputs reach local readers and are
// offered to transfers, its control edges signal (section 3: ready, transfers), and what it has
// read is released (section 4).
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/run/outputs.h"
#include "sim/engine/run/prefetches.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/storage.h"

namespace opyard::sim {

// After a kernel of that duration.
template <EngineParts kParts>
void FreeDevice(Run<kParts>& run, std::int32_t device, std::int64_t duration_ps) {
  DeviceState& device_state = run.state().devices[At(device)];
  device_state.running = DeviceState::kNone;
  InsertBit(run.View(run.state().idle_devices), At(device));
  if (kParts.options && run.problem.rules.gap_after_op_ps > 0 && duration_ps > 0) {
    device_state.running = DeviceState::kResting;
    RemoveBit(run.View(run.state().idle_devices), At(device));
    run.state().events.Push({run.progress.now_ps + run.problem.rules.gap_after_op_ps,
                             EventKind::kDeviceRested,
                             device});
  }
}

// Where streams run side by side each rests for itself, its device never.
template <EngineParts kParts>
[[gnu::noinline]] void FreeStream(Run<kParts>& run, std::int32_t kernel) {
  const KernelState& state = run.state().kernels[At(kernel)];
  DeviceState& device = run.state().devices[At(state.device)];
  run.state().turns[At(kernel)] = Turn::kNone;
  if (--device.num_running == 0) {
    device.running = DeviceState::kNone;
  }
  if (run.problem.rules.gap_after_op_ps > 0 && state.duration_ps > 0) {
    run.state().events.Push({run.progress.now_ps + run.problem.rules.gap_after_op_ps,
                             EventKind::kStreamRested,
                             kernel});
  } else {
    AdvanceStream(run, kernel);
  }
}

// Completes `kernel` now. `only_event_now`: nothing else ends at this instant, so that transfers of
// its output may start at once (starts_at_once.h).
template <EngineParts kParts>
void FinishKernel(Run<kParts>& run, std::int32_t kernel, bool only_event_now = false) {
  const KernelState& state = run.state().kernels[At(kernel)];
  const std::int32_t device = state.device;
  if (run.has_parallel_streams()) {
    FreeStream(run, kernel);
  } else {
    FreeDevice(run, device, state.duration_ps);
  }
  run.progress.end_ps = run.progress.now_ps;
  ++run.progress.num_done;
  if (run.is_recorded()) {
    run.recorder->ops[At(kernel)]->finish = SimTime{run.progress.now_ps};
  }
  if (run.prefetches_ahead) {
    PrefetchAhead(run);
  }
  if (run.state_keeper != nullptr) {
    run.state_keeper->finish_ps[At(kernel)] = run.progress.now_ps;
  }
  const Kernel& finished = run.graph.kernels[At(kernel)];
  FreeBytes(run, At(device), finished.workspace_bytes);
  const std::int32_t end = run.graph.kernels[At(kernel) + 1].first_output;
  const bool only_output_now = only_event_now && end - finished.first_output == 1;
  for (std::int32_t tensor = finished.first_output; tensor < end; ++tensor) {
    PublishOutput(run, tensor, device, only_output_now);
  }
  if (!run.graph.control_consumers.empty()) {
    SignalControl(run, kernel, device);
  }
  ReleaseInputs(run, kernel, At(device));
}

// Completes `first` and all other kernels that end now, in index order. A function of its own,
// since its code is rarely needed and would slow down the loop of the run.
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

// Completes all kernels that end now, in index order; most often it is one. `only_kernels_end_now`:
// no event of the queue is due at this instant.
template <EngineParts kParts>
void FinishKernels(Run<kParts>& run, bool only_kernels_end_now) {
  const std::int32_t kernel = run.state().devices[run.state().kernel_ends.Pop()].running;
  if (run.state().kernel_ends.next_ps() != run.progress.now_ps) [[likely]] {
    FinishKernel(run, kernel, only_kernels_end_now);
  } else {
    FinishTogether(run, kernel);
  }
}

}  // namespace opyard::sim
