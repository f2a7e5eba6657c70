// The life of bytes: who holds them and when they are freed (docs/modelling.md, section 4). What
// allocates them is the start of a kernel or of a transfer.
#pragma once

#include "sim/base/array_index.h"
#include "sim/engine/queues/select.h"
#include "sim/engine/run/memory_use.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

// One holder less: a reader, a transfer or the end of the step.
template <EngineParts kParts>
void ReleaseStorage(Run<kParts>& run, std::int32_t storage, std::size_t device) {
  Storage& held = run.state().storages[At(storage)];
  --held.num_holders;
  FreeBytes(run, device, Select(held.num_holders == 0, held.bytes, std::int64_t{0}));
}

template <EngineParts kParts>
void ReleaseInputs(Run<kParts>& run, std::int32_t kernel, std::size_t device) {
  const std::int32_t end = run.graph.kernels[At(kernel) + 1].first_input;
  for (std::int32_t i = run.graph.kernels[At(kernel)].first_input; i < end; ++i) {
    const std::int32_t edge = run.graph.input_edges[At(i)];
    const std::int32_t storage = run.state().storage_of_edge[At(edge)];
    std::int32_t num_copies = 1;
    if (run.is_one_per(OnePer::kEdge)) {
      const bool is_copy =
          At(storage) >= run.graph.num_tensors && At(storage) + 1 < run.state().storages.size();
      const bool is_own =
          is_copy && run.state().transfers[At(storage) - run.graph.num_tensors].edge == edge;
      num_copies = is_own ? run.graph.edge_uses[At(edge)] : 1;
    }
    // Rules placeto keep every output where it was made.
    const std::size_t holder =
        run.is_placeto() ? At(run.state().kernels[At(run.graph.edge_producer[At(edge)])].device)
                         : device;
    for (std::int32_t copy = 0; copy < num_copies; ++copy) {
      ReleaseStorage(run, storage + copy, holder);
    }
  }
}

template <EngineParts kParts>
void RecordFailure(Run<kParts>& run, const FailedAllocation& failure) {
  if (run.is_recorded()) {
    run.recorder->failure = failure;
  }
}

}  // namespace opyard::sim
