// From the last met dependency of a kernel to its place in the queue of its device
// (docs/modelling.md, section 3: ready, queue, dispatch).
#pragma once

#include "sim/base/array_index.h"
#include "sim/engine/run/prefetches.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

template <EngineParts kParts>
void PushReady(Run<kParts>& run, std::int32_t kernel, std::uint32_t ready_instant) {
  const KernelState& state = run.state().kernels[At(kernel)];
  PrefetchTensors(run, run.graph.kernels[At(kernel)]);
  run.queues.ready.Push(At(state.device),
                        {KeyOf<kParts>::Of(state.priority_part, ready_instant, kernel)});
  InsertBit(run.View(run.state().ready_devices), At(state.device));
}

// True if `kernel`, which is issued, is not the head of its stream; it enters its queue once it is.
// Not part of the one large function, as AwaitRelease below.
template <EngineParts kParts>
[[gnu::noinline]] bool AwaitsTurn(Run<kParts>& run,
                                  std::int32_t kernel,
                                  std::uint32_t ready_instant) {
  if (run.state().turns[At(kernel)] == Turn::kHead) {
    return false;
  }
  run.state().turns[At(kernel)] = Turn::kIssued;
  run.state().ready_instant[At(kernel)] = ready_instant;
  ++run.state().devices[At(run.state().kernels[At(kernel)].device)].num_held;
  return true;
}

template <EngineParts kParts>
void EnqueueKernel(Run<kParts>& run, std::int32_t kernel, std::uint32_t ready_instant) {
  if constexpr (kParts.choices) {
    const std::size_t device = At(run.state().kernels[At(kernel)].device);
    run.state().choices.ready[device].push_back(kernel);
    InsertBit(run.View(run.state().ready_devices), device);
    return;
  }
  if (run.has_streams() && AwaitsTurn(run, kernel, ready_instant)) {
    return;
  }
  PushReady(run, kernel, ready_instant);
}

// Makes the kernel behind `kernel` the head of their stream.
template <EngineParts kParts>
void AdvanceStream(Run<kParts>& run, std::int32_t kernel) {
  const std::int32_t next = run.workspace.prepared.next_in_stream[At(kernel)];
  if (next == Streams::kNone) {
    return;
  }
  const bool is_issued = run.state().turns[At(next)] == Turn::kIssued;
  run.state().turns[At(next)] = Turn::kHead;
  if (is_issued) {
    --run.state().devices[At(run.state().kernels[At(next)].device)].num_held;
    PushReady(run, next, run.state().ready_instant[At(next)]);
  }
}

// The first in the queue of `device`.
template <EngineParts kParts>
ReadyKernel<KeyOf<kParts>> PopReady(Run<kParts>& run, std::size_t device) {
  const ReadyKernel<KeyOf<kParts>> first = run.queues.ready.Pop(device);
  RemoveBitIf(run.queues.ready.empty(device), run.View(run.state().ready_devices), device);
  return first;
}

// Issues a kernel that is ready; one without inputs may need a device first.
template <EngineParts kParts>
void IssueReadyKernel(Run<kParts>& run, std::int32_t kernel) {
  if (kParts.choices && run.state().kernels[At(kernel)].device == KernelState::kNoDevice) {
    run.state().choices.unplaced.push_back(kernel);
    return;
  }
  if (kParts.options && run.problem.rules.dispatch_ps > 0) {
    const std::int64_t issued_ps = run.problem.rules.dispatch_ps * (kernel + 1);
    if (issued_ps > run.progress.now_ps) {
      run.state().ready_instant[At(kernel)] = run.progress.instant;
      ++run.state().devices[At(run.state().kernels[At(kernel)].device)].num_unissued;
      run.state().events.Push({issued_ps, EventKind::kKernelIssued, kernel});
      return;
    }
  }
  EnqueueKernel(run, kernel, run.NextEntry());
}

// Not part of the one large function: it would be there once for each way in which kernels become
// ready.
template <EngineParts kParts>
[[gnu::noinline]] void AwaitRelease(Run<kParts>& run, std::int32_t kernel) {
  run.state().events.Push({run.graph.release_ps[At(kernel)], EventKind::kKernelReleased, kernel});
}

// Issues a kernel whose inputs are all there, now or once it is released.
template <EngineParts kParts>
void IssueKernel(Run<kParts>& run, std::int32_t kernel) {
  if (run.has_releases() && run.graph.release_ps[At(kernel)] > run.progress.now_ps) {
    AwaitRelease(run, kernel);
  } else {
    IssueReadyKernel(run, kernel);
  }
}

// The first `count` of RunScratch::released.
template <EngineParts kParts>
void IssueReleased(Run<kParts>& run, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    IssueKernel(run, run.scratch().released[i]);
  }
}

template <EngineParts kParts>
void CountDown(Run<kParts>& run, std::int32_t kernel) {
  if (--run.state().kernels[At(kernel)].pending == 0) {
    IssueKernel(run, kernel);
  }
}

// The dependency of `edge` is met once all completions of this instant are applied.
template <EngineParts kParts>
void MeetLater(Run<kParts>& run, std::int32_t edge) {
  run.state().events.Push(
      {run.progress.now_ps, EventKind::kReleased, run.problem.rank_of_edge[At(edge)]});
}

}  // namespace opyard::sim
