// The interface through which a run hands out its states on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sim/engine/run/run_state.h"
#include "sim/engine/run/workspace.h"

namespace opyard::sim {

// Saves states of a run for the incremental simulation of neighbouring plans. The run knows no more
// of that than this; incremental/run_history.h makes one.
struct StateKeeper {
  std::span<std::int64_t> finish_ps;  // [num_kernels]: noted of each kernel that finishes
  std::size_t next_mark = 0;          // finished kernels from which on the next state is wanted
  // Takes the state between two instants and returns the next mark.
  std::function<std::size_t(const Workspace&, const RunProgress&)> keep;
};

}  // namespace opyard::sim
