// Idle devices take kernels from their queues (docs/modelling.md, section 3: queue, instants;
// section 4: waiting for memory; section 7: giving up).
#pragma once

#include <algorithm>
#include <bit>

#include "sim/base/array_index.h"
#include "sim/engine/run/kernel_bodies.h"
#include "sim/engine/run/memory_use.h"
#include "sim/engine/run/prefetches.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/storage.h"

namespace opyard::sim {

// Whatever comes, the ops after the kernel take their time, and so does what the device has left.
template <EngineParts kParts>
[[nodiscard]] bool ExceedsLimit(const Run<kParts>& run, std::int32_t kernel, std::size_t device) {
  const std::int64_t path_ps =
      run.is_fused ? 0
                   : run.state().kernels[At(kernel)].duration_ps + run.problem.tail_ps[At(kernel)];
  const std::int64_t work_ps =
      run.has_parallel_streams()
          ? 0
          : run.workspace.prepared.device_total_ps[device] - run.state().devices[device].busy_ps;
  return std::max(path_ps, work_ps) > run.limit_ps - run.progress.now_ps;
}

template <EngineParts kParts>
[[nodiscard]] bool StartKernel(Run<kParts>& run, std::int32_t kernel, std::size_t device) {
  if (run.limit_ps != kNever && ExceedsLimit(run, kernel, device)) {
    run.is_cut_off = true;
    return false;
  }
  const std::int64_t bytes = run.graph.kernels[At(kernel)].start_bytes;
  if (!AllocateBytes(run, device, bytes)) {
    RecordFailure(run,
                  {.what = FailedAllocation::What::kKernel,
                   .subject = kernel,
                   .device = static_cast<std::int32_t>(device),
                   .time_ps = run.progress.now_ps,
                   .bytes = bytes});
    return false;
  }
  const std::int64_t duration_ps = run.state().kernels[At(kernel)].duration_ps;
  PrefetchOutputs(run, run.graph.kernels[At(kernel)]);
  DeviceState& state = run.state().devices[device];
  if (run.has_parallel_streams()) {
    ++state.num_running;
    run.state().turns[At(kernel)] = Turn::kRunning;
  } else {
    RemoveBit(run.View(run.state().idle_devices), device);
  }
  state.running = kernel;
  state.busy_ps += duration_ps;
  const std::int64_t end_ps = run.progress.now_ps + duration_ps;
  if constexpr (kParts.choices) {
    run.state().choices.kernel_end_ps[device] = end_ps;
  }
  if constexpr (Run<kParts>::HasKernelEvents()) {
    if (run.has_body(kernel)) {
      StartBody(run, kernel, end_ps);
    } else {
      run.state().events.Push({end_ps, EventKind::kKernelDone, kernel});
    }
  } else {
    run.state().kernel_ends.Add(device, end_ps);
  }
  if (run.is_recorded()) {
    run.recorder->ops[At(kernel)] = OpSpan{
        DeviceId(device), SimTime{run.progress.now_ps}, SimTime{run.progress.now_ps + duration_ps}};
    run.recorder->kernel_order.push_back(kernel);
  }
  if (run.has_streams() && !run.has_parallel_streams()) {
    AdvanceStream(run, kernel);
  }
  return true;
}

// Kernels that do not fit are set aside and queued again: they keep their place. False if the one
// that fits exceeds the limit of the run.
template <EngineParts kParts>
[[nodiscard]] bool StartFirstThatFits(Run<kParts>& run, std::size_t device) {
  run.queues.set_aside.clear();
  bool has_started = false;
  while (!has_started && !run.is_cut_off && !run.queues.ready.empty(device)) {
    const ReadyKernel<KeyOf<kParts>> next = PopReady(run, device);
    if (FitsInMemory(run, device, run.graph.kernels[At(next.kernel())].start_bytes)) {
      has_started = StartKernel(run, next.kernel(), device);
    } else {
      run.queues.set_aside.push_back(next);
    }
  }
  for (const ReadyKernel<KeyOf<kParts>>& kernel : run.queues.set_aside) {
    run.queues.ready.Push(device, kernel);
  }
  InsertBitIf(
      has_started && !run.queues.ready.empty(device), run.View(run.state().ready_devices), device);
  return !run.is_cut_off;
}

// The first kernel of the device's queue starts, or the first that fits. False where the run ends.
template <EngineParts kParts>
[[nodiscard]] bool StartNext(Run<kParts>& run, std::size_t device) {
  return run.waits_for_memory() ? StartFirstThatFits(run, device)
                                : StartKernel(run, PopReady(run, device).kernel(), device);
}

// The heads of streams that run side by side all start.
template <EngineParts kParts>
[[nodiscard]] bool StartParallelStreams(Run<kParts>& run, std::size_t device) {
  bool goes_on = true;
  while (goes_on && HasBit(run.ConstView(run.state().ready_devices), device)) {
    goes_on = StartNext(run, device);
  }
  return goes_on;
}

template <EngineParts kParts>
[[nodiscard]] bool StartKernels(Run<kParts>& run) {
  for (std::size_t word = 0; word < run.View(run.state().idle_devices).size(); ++word) {
    std::uint64_t startable = run.state().idle_devices[word] & run.state().ready_devices[word];
    for (; startable != 0; startable &= startable - 1) {
      const std::size_t device = word * 64 + static_cast<std::size_t>(std::countr_zero(startable));
      const bool goes_on =
          run.has_parallel_streams() ? StartParallelStreams(run, device) : StartNext(run, device);
      if (!goes_on) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace opyard::sim
