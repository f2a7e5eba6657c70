#include "sim/engine/report/turn_waits.h"

#include "sim/base/array_index.h"
#include "sim/engine/run/transfer_turns.h"

namespace opyard::sim {
namespace {

// "a:0 to gpu1"
std::string NameOf(const LoweredProblem& problem, const CopyId& copy) {
  const Tensor& tensor = problem.graph->tensor(copy.tensor);
  return problem.graph->op(tensor.producer).name + ":" + std::to_string(tensor.output_index) +
         " to " + problem.hardware->devices[copy.destination.index()].name;
}

}  // namespace

std::optional<std::string> WaitForTurn(const LoweredProblem& problem,
                                       const Workspace& workspace,
                                       const Plan& plan,
                                       std::int32_t slot) {
  const std::int32_t tensor = workspace.state.transfers[At(slot)].tensor;
  const std::int32_t origin = workspace.prepared.graph->origin[At(tensor)];
  for (const TransferTurn& turn : TurnsOfTransfer(problem, workspace, origin, slot)) {
    const std::int32_t next = workspace.state.next_transfer[At(turn.channel)];
    if (next != turn.place) {
      const ChannelOrder& order = plan.transfer_order[At(turn.channel)];
      return "copy of " + NameOf(problem, order.copies[At(turn.place)]) +
             " waits for its turn on " + order.channel + ": next is the copy of " +
             NameOf(problem, order.copies[At(next)]);
    }
  }
  return std::nullopt;
}

}  // namespace opyard::sim
