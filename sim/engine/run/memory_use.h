// The bytes that a run takes and frees (docs/modelling.md, section 4).
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/array_index.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/engine/run/pool_accounts.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

template <EngineParts kParts>
[[nodiscard]] bool FitsInMemory(const Run<kParts>& run, std::size_t device, std::int64_t bytes) {
  return run.has_pools() ? HasRoom(AccountOf(run.problem, run.state(), device), bytes)
                         : run.state().memory.Fits(device, bytes);
}

// REQUIRES: FitsInMemory(run, device, bytes).
template <EngineParts kParts>
void TakeBytes(Run<kParts>& run, std::size_t device, std::int64_t bytes) {
  if (run.has_pools()) {
    TakeShared(run.problem, run.state(), device, bytes, run.progress.now_ps);
  } else {
    run.state().memory.Take(device, bytes, run.progress.now_ps);
  }
}

// False, and nothing taken, if they do not fit.
template <EngineParts kParts>
[[nodiscard]] bool AllocateBytes(Run<kParts>& run, std::size_t device, std::int64_t bytes) {
  if (!FitsInMemory(run, device, bytes)) {
    return false;
  }
  TakeBytes(run, device, bytes);
  return true;
}

// A kernel that waits for memory on `device` may fit now.
template <EngineParts kParts>
void AwakenDevice(Run<kParts>& run, std::size_t device) {
  InsertBitIf(run.HasReady(device), run.View(run.state().ready_devices), device);
}

// Frees bytes of a device in a pool, which all devices of the pool may have waited for. A function
// of its own, since its code is rarely needed.
template <EngineParts kParts>
[[gnu::noinline]] void FreeBytesOfPool(Run<kParts>& run, std::int32_t pool, std::int64_t bytes) {
  run.state().pool_memory.Free(At(pool), bytes);
  for (std::size_t d = 0; run.waits_for_memory() && d < run.problem.num_devices; ++d) {
    if (run.problem.pools.PoolOf(d) == pool) {
      AwakenDevice(run, d);
    }
  }
}

template <EngineParts kParts>
void FreeBytes(Run<kParts>& run, std::size_t device, std::int64_t bytes) {
  run.state().memory.Free(device, bytes);
  if (run.has_pools() && run.problem.pools.PoolOf(device) != LoweredPools::kNone) {
    FreeBytesOfPool(run, run.problem.pools.PoolOf(device), bytes);
  }
  if (run.waits_for_memory()) {
    AwakenDevice(run, device);
    run.progress.must_scan = true;
  }
}

}  // namespace opyard::sim
