// The bodies of kernels on devices that share a memory: they begin once the kernel has passed its
// launch, and end when their pool lets them (docs/modelling.md, section 3: shared memory).
#pragma once

#include <cstdint>

#include "sim/base/array_index.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

template <EngineParts kParts>
void BeginBody(Run<kParts>& run, std::int32_t kernel) {
  const auto device = At(run.state().kernels[At(kernel)].device);
  run.state().pool_bandwidth.Begin(kernel,
                                   At(run.problem.pools.PoolOf(device)),
                                   run.workspace.prepared.bodies[At(kernel)],
                                   run.progress.now_ps);
}

// `kernel`, which would end at `end_ps` alone, starts.
template <EngineParts kParts>
[[gnu::noinline]] void StartBody(Run<kParts>& run, std::int32_t kernel, std::int64_t end_ps) {
  const std::int64_t begin_ps = end_ps - run.workspace.prepared.bodies[At(kernel)].time_ps;
  if (begin_ps > run.progress.now_ps) {
    run.state().events.Push({begin_ps, EventKind::kBodyBegins, kernel});
  } else {
    BeginBody(run, kernel);
  }
}

// Makes events of the bodies that end now, so that they stand in the order of all that ends.
template <EngineParts kParts>
void EndBodies(Run<kParts>& run) {
  run.scratch().finished.clear();
  run.state().pool_bandwidth.TakeEnded(run.progress.now_ps, run.scratch().finished);
  for (const std::int32_t kernel : run.scratch().finished) {
    run.state().events.Push({run.progress.now_ps, EventKind::kKernelDone, kernel});
  }
}

}  // namespace opyard::sim
