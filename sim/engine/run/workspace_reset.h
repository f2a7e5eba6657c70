// Gives the parts of a workspace their room and the state of time 0, whatever the last run left
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run_state.h"
#include "sim/engine/run/workspace.h"

namespace opyard::sim {

// Empties the queues that the run uses and gives each its room: the ready queue of device d for
// `num_ready[d, level]` kernels, the waiting transfers of a pair for PreparedPlan::queue_sizes.
void ResetQueues(const LoweredProblem& problem,
                 std::span<const std::int32_t> num_ready,
                 Workspace& workspace);

// Sets total_ps[d] to the time that the kernels on device d take together.
void AddWorkUp(std::span<const KernelState> kernels,
               std::size_t num_devices,
               std::vector<std::int64_t>& total_ps);

// Gives what a run writes its room, and empties what it leaves behind.
void MakeRoom(const LoweredProblem& problem, Workspace& workspace);

// Takes the parameters of all ops that have a device, in order. Returns the first that do not fit,
// if any.
[[nodiscard]] std::optional<FailedAllocation> AllocateParams(const LoweredProblem& problem,
                                                             Workspace& workspace);

}  // namespace opyard::sim
