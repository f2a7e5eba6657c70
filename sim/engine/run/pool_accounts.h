// The accounts of devices that may share a memory pool.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/array_index.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/run_state.h"

namespace opyard::sim {

// The account that has to have room for bytes on `device`: of its pool, or its own.
[[nodiscard]] inline const MemoryLedger::Account& AccountOf(const LoweredProblem& problem,
                                                            const RunState& state,
                                                            std::size_t device) {
  const std::int32_t pool =
      problem.pools.empty() ? LoweredPools::kNone : problem.pools.PoolOf(device);
  return pool == LoweredPools::kNone ? state.memory.account(device)
                                     : state.pool_memory.account(At(pool));
}

[[nodiscard]] inline bool HasRoom(const MemoryLedger::Account& account, std::int64_t bytes) {
  return account.in_use + bytes <= account.capacity;
}

// REQUIRES: there is room.
inline void TakeShared(const LoweredProblem& problem,
                       RunState& state,
                       std::size_t device,
                       std::int64_t bytes,
                       std::int64_t now_ps) {
  state.memory.Take(device, bytes, now_ps);
  if (!problem.pools.empty() && problem.pools.PoolOf(device) != LoweredPools::kNone) {
    state.pool_memory.Take(At(problem.pools.PoolOf(device)), bytes, now_ps);
  }
}

}  // namespace opyard::sim
