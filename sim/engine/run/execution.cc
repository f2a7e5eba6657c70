#include "sim/engine/run/execution.h"

#include <algorithm>
#include <cstdint>

#include "sim/engine/queues/never.h"
#include "sim/engine/run/events.h"
#include "sim/engine/run/kernel_finishes.h"
#include "sim/engine/run/kernel_starts.h"
#include "sim/engine/run/placeto_order.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/starts_at_once.h"
#include "sim/engine/run/storage.h"
#include "sim/engine/run/transfer_starts.h"
#include "sim/engine/run/workspace_reset.h"

// The loop: at each instant what ends is applied, then what can start starts (docs/modelling.md,
// section 3: instants, end).

namespace opyard::sim {
namespace {

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
void KeepState(Run<kParts>& run) {
  if (run.progress.num_done >= run.state_keeper->next_mark) {
    run.state_keeper->next_mark = run.state_keeper->keep(run.workspace, run.progress);
  }
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
  if (event_ps == next_ps || run.is_fair()) {
    ApplyEvents(run);
  }
  return true;
}

// Everything that a run does, in one function: calls cost a fifth.
template <EngineParts kParts>
[[gnu::noinline, gnu::flatten]] SimResult RunToEnd(Run<kParts>& run) {
  while (true) {
    const bool goes_on =
        run.is_placeto() ? StartByName(run) : StartKernels(run) && StartTransfers(run);
    // Once all is done, rests that do not count belong to no one's time.
    if (run.is_recorded() && !(run.IsAllDone() && run.progress.now_ps > run.progress.end_ps)) {
      run.recorder->NoteDevices(run.problem, run.workspace, run.progress.now_ps);
    }
    if (!goes_on) {
      ForgetStartsAtOnce(run);
      return ResultOf(run, run.is_cut_off ? Outcome::kCutOff : Outcome::kOutOfMemory);
    }
    if (run.state_keeper != nullptr) {
      KeepState(run);
    }
    if (!Advance(run)) {
      return ResultOf(run, run.IsAllDone() ? Outcome::kCompleted : Outcome::kDeadlock);
    }
  }
}

template <EngineParts kParts>
SimResult Execute(Run<kParts>& run) {
  if (run.limit_ps != kNever && run.is_new) {
    AddWorkUp(run.state().kernels, run.problem.num_devices, run.workspace.prepared.device_total_ps);
  }
  return run.is_new && !BeginRun(run) ? ResultOf(run, Outcome::kOutOfMemory) : RunToEnd(run);
}

}  // namespace

SimResult ExecutePrepared(const LoweredProblem& problem,
                          const Plan& plan,
                          Workspace& workspace,
                          const RunOptions& options) {
  const auto execute = [&]<EngineParts kParts>() {
    Run<kParts> run(problem, plan, workspace, options);
    return Execute(run);
  };
  if (!workspace.prepared.keys.is_narrow) {
    return execute.template operator()<EngineParts{}>();
  }
  if (problem.rules.flows) {
    return execute.template operator()<EngineParts{.fair_sharing = true, .options = false}>();
  }
  return execute.template operator()<EngineParts{.fair_sharing = false, .options = false}>();
}

}  // namespace opyard::sim
