// The parts of the loop: a run begins, time goes on from instant to instant, and it ends
// (docs/modelling.md, section 3: instants, end).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/base/array_index.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/run/events.h"
#include "sim/engine/run/kernel_finishes.h"
#include "sim/engine/run/placeto_order.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/storage.h"
#include "sim/engine/run/workspace_reset.h"

namespace opyard::sim {

// False if the parameters do not fit.
template <EngineParts kParts>
[[nodiscard]] bool BeginRun(Run<kParts>& run) {
  if (const std::optional<FailedAllocation> failure = AllocateParams(run.problem, run.workspace)) {
    RecordFailure(run, *failure);
    return false;
  }
  if (run.is_placeto()) {
    IssueSourcesByOp(run);
  } else {
    std::ranges::for_each(run.graph.sources,
                          [&run](std::int32_t kernel) { IssueKernel(run, kernel); });
  }
  return true;
}

template <EngineParts kParts>
SimResult ResultOf(const Run<kParts>& run, Outcome outcome) {
  // However late it was noticed.
  if (outcome == Outcome::kCompleted && run.progress.end_ps > run.limit_ps) {
    outcome = Outcome::kCutOff;
  }
  SimResult result{.outcome = outcome,
                   .makespan = SimTime{outcome == Outcome::kCompleted ? run.progress.end_ps
                                                                      : run.progress.now_ps},
                   .num_transfers = run.progress.num_transfers};
  for (const MemoryLedger::Account& account : run.state().memory.accounts()) {
    result.peak_memory = std::max(result.peak_memory, Bytes{account.peak});
  }
  return result;
}

// Goes on to the next instant and applies what ends there. False if nothing is to come.
template <EngineParts kParts>
[[nodiscard]] bool Advance(Run<kParts>& run) {
  const std::int64_t event_ps = run.state().events.next_ps();
  const std::int64_t kernel_ps =
      Run<kParts>::HasKernelEvents() ? kNever : run.state().kernel_ends.next_ps();
  std::int64_t next_ps = std::min(event_ps, kernel_ps);
  if (run.is_fair()) {
    next_ps = std::min(next_ps, run.state().flows.NextEnd(run.progress.now_ps));
  }
  if (run.has_pools()) {
    next_ps = std::min(next_ps, run.state().pool_bandwidth.NextEnd(run.progress.now_ps));
  }
  if (next_ps == kNever) {
    return false;
  }
  run.progress.instant += next_ps != run.progress.now_ps ? 1 : 0;
  run.progress.now_ps = next_ps;
  run.at_once_devices = 0;
  if (kernel_ps == next_ps) {
    FinishKernels(run, event_ps != next_ps);
  }
  // Work that starts at once and takes no time ends in the next round.
  if (event_ps == next_ps || run.is_fair() || run.has_pools()) {
    ApplyEvents(run);
  }
  return true;
}

}  // namespace opyard::sim
