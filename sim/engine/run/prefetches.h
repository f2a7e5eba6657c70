// Fetches what a run will touch soon.
//
// Graphs are executed more or less in their order, so what will be touched is known before any
// queue knows it. Nothing of it shows in a result.
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/queues/prefetch.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

// Prefetches what the end of the kernel will touch: once it is ready, its own tensors; once it
// starts, where they will lie, the time they take to move and those who read them.
template <EngineParts kParts>
[[gnu::always_inline]] inline void PrefetchTensors(const Run<kParts>& run, const Kernel& kernel) {
  Prefetch(run.graph.tensors, kernel.first_output);
  Prefetch(run.graph.input_edges, kernel.first_input);
}

// Most kernels have one output and feed two at most; of the rest so many, and of others a
// neighbour's. Where kernels are fused or bandwidths differ, times may be those of another tensor.
template <EngineParts kParts>
[[gnu::always_inline]] inline void PrefetchOutputs(const Run<kParts>& run, const Kernel& kernel) {
  Prefetch(run.problem.moving_ps, kernel.first_output);
  Prefetch(run.state().storages, kernel.first_output);
  const auto second_last = static_cast<std::int32_t>(run.graph.consumers.size()) - 2;
  if (second_last >= 0) {
    const std::size_t first = At(std::min(kernel.first_edge, second_last));
    Prefetch(run.state().kernels, run.graph.consumers[first]);
    Prefetch(run.state().kernels, run.graph.consumers[first + 1]);
  }
}

// Called at each end of a kernel. Prefetches what the kernel about 1000 completions later will
// touch, as if kernels ended in index order, and the record of the kernel twice as far. Pays only
// where the graph's arrays exceed the near caches (Run::kManyKernels).
template <EngineParts kParts>
[[gnu::always_inline]] inline void PrefetchAhead(const Run<kParts>& run) {
  constexpr std::size_t kAhead = 1'000;
  constexpr std::size_t kSlotsAhead = 16;
  const std::size_t near = std::min(run.progress.num_done + kAhead, run.graph.num_kernels);
  const std::size_t far = std::min(near + kAhead, run.graph.num_kernels);
  Prefetch(run.graph.kernels, static_cast<std::int32_t>(far));
  Prefetch(run.state().kernels, static_cast<std::int32_t>(far));
  const Kernel& kernel = run.graph.kernels[near];
  Prefetch(run.graph.tensors, kernel.first_output);
  Prefetch(run.problem.moving_ps, kernel.first_output);
  Prefetch(run.state().storages, kernel.first_output);
  Prefetch(run.graph.consumers, kernel.first_edge);
  Prefetch(run.state().storage_of_edge, kernel.first_edge);
  Prefetch(run.graph.input_edges, kernel.first_input);
  const std::size_t slot = run.state().transfers.size() + kSlotsAhead;
  Prefetch(run.state().transfers, static_cast<std::int32_t>(slot));
  Prefetch(run.state().storages, static_cast<std::int32_t>(run.graph.num_tensors + slot));
}

}  // namespace opyard::sim
