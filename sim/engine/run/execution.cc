#include "sim/engine/run/execution.h"

#include "sim/engine/queues/never.h"
#include "sim/engine/run/kernel_starts.h"
#include "sim/engine/run/placeto_order.h"
#include "sim/engine/run/rounds.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/starts_at_once.h"
#include "sim/engine/run/transfer_starts.h"
#include "sim/engine/run/workspace_reset.h"

// The loop: at each instant what ends is applied, then what can start starts (docs/modelling.md,
// section 3: instants, end).

namespace opyard::sim {
namespace {

template <EngineParts kParts>
void KeepState(Run<kParts>& run) {
  if (run.progress.num_done >= run.state_keeper->next_mark) {
    run.state_keeper->next_mark = run.state_keeper->keep(run.workspace, run.progress);
  }
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
