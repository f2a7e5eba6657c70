// The part of Execution that fetches what it will touch soon. For execution.cc alone.
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/queues/prefetch.h"
#include "sim/engine/run/execution.h"

namespace opyard::sim {

template <EngineParts kParts>
void Execution<kParts>::PrefetchTensors(const Kernel& kernel) const {
  Prefetch(g_.tensors, kernel.first_output);
  Prefetch(g_.input_edges, kernel.first_input);
}

// Most kernels have one output and feed two at most; of the rest so many, and of others a
// neighbour's. Where kernels are fused or bandwidths differ, times may be those of another tensor.
template <EngineParts kParts>
void Execution<kParts>::PrefetchOutputs(const Kernel& kernel) const {
  Prefetch(p_.moving_ps, kernel.first_output);
  Prefetch(w_.storages, kernel.first_output);
  const auto second_last = static_cast<std::int32_t>(g_.consumers.size()) - 2;
  if (second_last >= 0) {
    const std::size_t first = At(std::min(kernel.first_edge, second_last));
    Prefetch(w_.kernels, g_.consumers[first]);
    Prefetch(w_.kernels, g_.consumers[first + 1]);
  }
}

template <EngineParts kParts>
void Execution<kParts>::PrefetchAhead() const {
  constexpr std::size_t kAhead = 1'000;
  constexpr std::size_t kSlotsAhead = 16;
  const std::size_t near = std::min(run_.num_done + kAhead, g_.num_kernels);
  const std::size_t far = std::min(near + kAhead, g_.num_kernels);
  Prefetch(g_.kernels, static_cast<std::int32_t>(far));
  Prefetch(w_.kernels, static_cast<std::int32_t>(far));
  const Kernel& kernel = g_.kernels[near];
  Prefetch(g_.tensors, kernel.first_output);
  Prefetch(p_.moving_ps, kernel.first_output);
  Prefetch(w_.storages, kernel.first_output);
  Prefetch(g_.consumers, kernel.first_edge);
  Prefetch(w_.storage_of_edge, kernel.first_edge);
  Prefetch(g_.input_edges, kernel.first_input);
  const std::size_t slot = w_.transfers.size() + kSlotsAhead;
  Prefetch(w_.transfers, static_cast<std::int32_t>(slot));
  Prefetch(w_.storages, static_cast<std::int32_t>(g_.num_tensors + slot));
}

}  // namespace opyard::sim
