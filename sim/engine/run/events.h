// Applies all that ends at an instant (docs/modelling.md, section 3: instants).
#pragma once

#include <optional>

#include "sim/base/array_index.h"
#include "sim/engine/run/channels.h"
#include "sim/engine/run/kernel_bodies.h"
#include "sim/engine/run/kernel_finishes.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/transfers.h"

namespace opyard::sim {

template <EngineParts kParts>
void ApplyEvent(Run<kParts>& run, const Event& event) {
  switch (event.kind()) {
    case EventKind::kKernelDone:
      if constexpr (Run<kParts>::HasKernelEvents()) {
        FinishKernel(run, event.subject());
      }
      break;
    case EventKind::kTransferDone:
      FinishTransfer(run, event.subject());
      break;
    case EventKind::kControlArrived:
      CountDown(run, event.subject());
      break;
    case EventKind::kFlowBegins:
      BeginFlow(run, event.subject());
      break;
    case EventKind::kReleased:
      CountDown(run, run.graph.consumers[At(run.problem.edge_of_rank[At(event.subject())])]);
      break;
    case EventKind::kKernelReleased:
      if constexpr (kParts.options) {
        IssueReadyKernel(run, event.subject());
      }
      break;
    case EventKind::kKernelIssued:
      --run.state().devices[At(run.state().kernels[At(event.subject())].device)].num_unissued;
      EnqueueKernel(run, event.subject(), run.state().ready_instant[At(event.subject())]);
      break;
    case EventKind::kDeviceRested:
      run.state().devices[At(event.subject())].running = DeviceState::kNone;
      InsertBit(run.View(run.state().idle_devices), At(event.subject()));
      run.progress.end_ps =
          run.problem.rules.trailing_gaps_count ? run.progress.now_ps : run.progress.end_ps;
      break;
    case EventKind::kBodyBegins:
      if constexpr (kParts.options) {
        BeginBody(run, event.subject());
      }
      break;
    case EventKind::kStreamRested:
      if constexpr (kParts.options) {
        AdvanceStream(run, event.subject());
      }
      run.progress.end_ps =
          run.problem.rules.trailing_gaps_count ? run.progress.now_ps : run.progress.end_ps;
      break;
    case EventKind::kChannelsRested:
      FreeChannels(run, event.subject());
      run.progress.end_ps =
          run.problem.rules.trailing_gaps_count ? run.progress.now_ps : run.progress.end_ps;
      break;
  }
}

template <EngineParts kParts>
void ApplyEvents(Run<kParts>& run) {
  if (run.has_pools()) {
    EndBodies(run);
  }
  while (run.state().events.next_ps() == run.progress.now_ps) {
    ApplyEvent(run, run.state().events.Pop());
  }
  if (run.is_fair()) {
    while (const std::optional<std::int32_t> slot =
               run.state().flows.PopEnded(run.progress.now_ps)) {
      FinishTransfer(run, *slot);
    }
  }
}

}  // namespace opyard::sim
