#include "sim/engine/run/transfer_turns.h"

#include "sim/base/error.h"
#include "sim/plan/transfer_order_check.h"

namespace opyard::sim {

bool LayTransferTurns(const LoweredProblem& problem, const Plan& plan, Workspace& workspace) {
  std::vector<TransferTurn>& turns = workspace.prepared.transfer_turns;
  turns.clear();
  workspace.state.next_transfer.assign(plan.transfer_order.size(), 0);
  if (plan.transfer_order.empty()) {
    return true;
  }
  Diagnostics diagnostics;
  CheckTransferOrder(*problem.graph, *problem.hardware, plan, "", diagnostics);
  if (!diagnostics.empty()) {
    return false;
  }
  for (std::size_t channel = 0; channel < plan.transfer_order.size(); ++channel) {
    const std::vector<CopyId>& copies = plan.transfer_order[channel].copies;
    for (std::size_t place = 0; place < copies.size(); ++place) {
      const std::int32_t tensor = problem.lowered_tensor[copies[place].tensor.index()];
      turns.push_back(
          {.copy = std::int64_t{tensor} * static_cast<std::int64_t>(problem.num_devices) +
                   copies[place].destination.value,
           .channel = static_cast<std::int32_t>(channel),
           .place = static_cast<std::int32_t>(place)});
    }
  }
  std::ranges::sort(turns, {}, &TransferTurn::copy);
  return true;
}

}  // namespace opyard::sim
