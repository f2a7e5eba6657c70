// Whose turn it is on the channels that a plan orders (docs/modelling.md, section 3: transfers).
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

// Lays down the orders of the plan's channels in `workspace`. False where ValidatePlan refuses
// them. REQUIRES: each op of the plan has a device.
[[nodiscard]] bool LayTransferTurns(const LoweredProblem& problem,
                                    const Plan& plan,
                                    Workspace& workspace);

// The places of the transfer at `slot` in the orders of its channels. REQUIRES: each transfer goes
// to one destination.
[[nodiscard]] inline std::span<const TransferTurn> TurnsOfTransfer(const LoweredProblem& problem,
                                                                   const Workspace& workspace,
                                                                   std::int32_t origin,
                                                                   std::int32_t slot) {
  const ActiveTransfer& transfer = workspace.state.transfers[At(slot)];
  return workspace.prepared.TurnsOf(
      std::int64_t{origin} * static_cast<std::int64_t>(problem.num_devices) + transfer.dst);
}

template <EngineParts kParts>
[[nodiscard]] std::span<const TransferTurn> TurnsAt(const Run<kParts>& run, std::int32_t slot) {
  return TurnsOfTransfer(
      run.problem, run.workspace, run.OriginOf(run.state().transfers[At(slot)].tensor), slot);
}

// True unless a copy that stands before that of `slot` in the order of a channel has not begun.
template <EngineParts kParts>
[[nodiscard]] bool HasTransferTurn(const Run<kParts>& run, std::int32_t slot) {
  return !run.has_transfer_orders() ||
         std::ranges::all_of(TurnsAt(run, slot), [&](const TransferTurn& turn) {
           return run.state().next_transfer[At(turn.channel)] == turn.place;
         });
}

// The transfer at `slot` begins: the next of each channel is the one behind it.
template <EngineParts kParts>
void PassTransferTurn(Run<kParts>& run, std::int32_t slot) {
  if (!run.has_transfer_orders()) {
    return;
  }
  for (const TransferTurn& turn : TurnsAt(run, slot)) {
    ++run.state().next_transfer[At(turn.channel)];
  }
}

}  // namespace opyard::sim
