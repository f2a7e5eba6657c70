// Brings a workspace into the state of time 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Whether a Recorder will watch the run.
enum class Recording : std::uint8_t { kNo, kYes };

// Places and prioritises the kernels of `plan` and empties everything else. Throws PlanError if the
// plan does not fit the problem.
void PrepareRun(const LoweredProblem& problem,
                const Plan& plan,
                Workspace& workspace,
                Recording recording = Recording::kNo);

// Empties the queues that the run uses and gives each its room: the ready queue of device d for
// `num_ready[d, level]` kernels, the waiting transfers of a pair for Workspace::queue_sizes.
void ResetQueues(const LoweredProblem& problem,
                 std::span<const std::int32_t> num_ready,
                 Workspace& workspace);

// Sets total_ps[d] to the time that the kernels on device d take together.
void AddWorkUp(std::span<const KernelState> kernels,
               std::size_t num_devices,
               std::vector<std::int64_t>& total_ps);

// Gives what a run writes its room, and empties what it leaves behind.
void ResetScratch(const LoweredProblem& problem, Workspace& workspace);

// Takes the parameters of all ops, in order. Returns the first that do not fit, if any.
[[nodiscard]] std::optional<FailedAllocation> AllocateParams(const LoweredProblem& problem,
                                                             Workspace& workspace);

}  // namespace opyard::sim
